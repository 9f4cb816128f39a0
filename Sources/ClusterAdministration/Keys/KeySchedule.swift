internal import HTTPText

/// When the keys of an issuer are fetched next.
struct KeySchedule: Equatable, Sendable {
    /// The bounds of what a server's Cache-Control may ask for. A key that an issuer withdraws is accepted no longer than that.
    static let seconds = 60...3_600
    /// Without a Cache-Control.
    static let usualSeconds = 300
    /// The longest wait after a failure.
    static let longestRetrySeconds = 60

    /// The interval that the operator wants, instead of what the server asks for.
    let interval: Int?
    private var failures = 0

    init(every interval: Int? = nil) { self.interval = interval }

    /// The seconds until the next fetch after an answer.
    mutating func wait(after response: ServerResponse) -> Int {
        failures = 0
        if let interval { return interval }
        let bounds = KeySchedule.seconds
        let wanted = response.freshSeconds ?? KeySchedule.usualSeconds
        return min(max(wanted, bounds.lowerBound), bounds.upperBound)
    }

    /// The seconds until the next attempt after a failure: twice as many as before.
    mutating func waitAfterFailure() -> Int {
        failures = min(failures + 1, 16)
        return min(
            1 << (failures - 1), KeySchedule.longestRetrySeconds, interval ?? .max)
    }
}

extension ServerResponse {
    /// How many seconds the answer stays fresh by its Cache-Control (RFC 9111, section 4.2); nil if it does not say.
    var freshSeconds: Int? {
        let directives: [String] = values(of: "cache-control").joined(separator: ",").lowercased()
            .split(separator: ",").map { $0.filter { !" \t\"".contains($0) } }
        if directives.contains("no-cache") || directives.contains("no-store") { return 0 }
        let ages = directives.compactMap { directive in
            directive.hasPrefix("max-age=") ? Int(directive.dropFirst("max-age=".count)) : nil
        }
        guard let maximum = ages.min(), maximum >= 0 else { return nil }
        let age = values(of: "age").first.flatMap { Int($0) } ?? 0
        return max(0, maximum - max(0, age))
    }
}
