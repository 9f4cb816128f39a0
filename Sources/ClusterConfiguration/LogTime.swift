internal import Glibc

/// When something was logged: local time, such that of two texts the later one is the greater.
///
///     2026-11-22 05:58:10.153
public enum LogTime {
    /// The number of characters of each text.
    public static let length = 23

    /// The text of a time.
    ///
    /// - Parameter milliseconds: Since 1970.
    public static func text(of milliseconds: UInt64) -> String {
        text(of: localTime(of: milliseconds), milliseconds)
    }

    /// The same time by RFC 3339: `2026-11-22T05:58:10.153+01:00`.
    public static func internetText(of milliseconds: UInt64) -> String {
        let parts = localTime(of: milliseconds)
        let minutes = abs(Int(parts.tm_gmtoff)) / 60
        let zone = padded(minutes / 60, to: 2) + ":" + padded(minutes % 60, to: 2)
        return text(of: parts, milliseconds).replacing(" ", with: "T")
            + (parts.tm_gmtoff < 0 ? "-" : "+") + zone
    }

    private static func localTime(of milliseconds: UInt64) -> tm {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return parts
    }

    private static func text(of parts: tm, _ milliseconds: UInt64) -> String {
        let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec]
        return date.map { padded($0, to: 2) }.joined(separator: "-") + " "
            + clock.map { padded(Int($0), to: 2) }.joined(separator: ":") + "."
            + padded(Int(milliseconds % 1000), to: 3)
    }

    /// Whether a text has the shape of a time, or of its beginning.
    public static func isTime(_ text: some StringProtocol) -> Bool {
        let shape = "0000-00-00 00:00:00.000".utf8
        return text.utf8.count <= shape.count
            && zip(text.utf8, shape).allSatisfy { character, model in
                model == UInt8(ascii: "0") ? (0x30...0x39).contains(character) : character == model
            }
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
