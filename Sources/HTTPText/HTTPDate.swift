/// A time in the form that HTTP wants, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
///
/// A driver makes one a second, and gives it to all answers of that second.
public struct HTTPDate: Equatable, Sendable {
    let bytes: [UInt8]

    /// Makes the text of a time.
    ///
    /// - Parameter unixSeconds: The seconds since 1970, before the year 10,000.
    public init(unixSeconds: Int64) {
        precondition((0..<253_402_300_800).contains(unixSeconds), "\(unixSeconds) is no time")
        let (days, seconds) = unixSeconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = HTTPDate.date(days)
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map(HTTPDate.twoDigits)
        bytes = Array(
            ("\(weekdays[Int(days % 7)]), \(HTTPDate.twoDigits(day)) \(months[month - 1]) \(year) "
                + time.joined(separator: ":") + " GMT").utf8)
    }

    /// The text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// The date that is so many days after the first of January 1970.
    private static func date(_ days: Int64) -> (year: Int64, month: Int, day: Int64) {
        var (year, rest): (Int64, Int64) = (1970, days)
        while rest >= length(of: year) {
            rest -= length(of: year)
            year += 1
        }
        var lengths: [Int64] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        if length(of: year) == 366 { lengths[1] = 29 }
        var month = 0
        while rest >= lengths[month] {
            rest -= lengths[month]
            month += 1
        }
        return (year, month + 1, rest + 1)
    }

    private static func length(of year: Int64) -> Int64 {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365
    }
}
