internal import DataTree
internal import GatewayCore
internal import ReplicaCore

/// Logs refused and slow requests: so many a second at most, so that no client can fill the disk.
struct RequestLogger {
    /// The number of entries that are written in one second.
    static let entriesPerSecond = 10

    private let log: NodeLog
    private var second: UInt64 = 0
    private var written = 0
    private(set) var omitted = 0

    init(for log: NodeLog) { self.log = log }

    /// Logs a request that the replica refused, or that waited long.
    ///
    /// - Parameter host: The address of the client; nil if it is gone.
    mutating func write(_ record: RequestRecord, from host: String?, at milliseconds: UInt64) {
        guard admits(at: milliseconds) else { return }
        let client = host ?? "a client that has left"
        let request = record.text
        switch record.reason {
        case .refused(let code, let problem):
            log.write(
                "refused \(request) of \(client): \(problem)", .info,
                record.fields(of: host) + [("code", .string(code))])
        case .waited(let waited):
            log.write(
                "slow request: \(request) of \(client) waited \(waited) ms", .warning,
                record.fields(of: host) + [("milliseconds", .integer(Int64(clamping: waited)))])
        case .worked(let worked):
            log.write(
                "slow request: the node worked \(worked) ms without a pause; its last request was "
                    + "\(request) of \(client)", .warning,
                record.fields(of: host) + [("milliseconds", .integer(Int64(clamping: worked)))])
        }
    }

    /// Logs a request that the gateway refused.
    mutating func write(_ refusal: GatewayRefusal, at milliseconds: UInt64) {
        guard admits(at: milliseconds) else { return }
        log.write(
            "refused \(refusal.request) of \(refusal.host): \(refusal.problem)", .info,
            [
                ("client", .string(refusal.host)), ("kind", .string(refusal.request)),
                ("status", .integer(Int64(refusal.status))),
            ])
    }

    /// Logs a write to the disk that took long.
    mutating func write(disk took: UInt64, at milliseconds: UInt64) {
        guard admits(at: milliseconds) else { return }
        log.write(
            "slow disk: writes of clients waited \(took) ms for it", .warning,
            [("milliseconds", .integer(Int64(clamping: took)))])
    }

    /// Logs how many entries were omitted, once their second is over.
    mutating func endSecond(at milliseconds: UInt64) {
        guard omitted > 0, milliseconds / 1_000 != second else { return }
        log.write(
            "omitted \(omitted) further entries about requests within one second", .info,
            [("omitted", .integer(Int64(omitted)))])
        omitted = 0
    }

    /// Counts entries that were dropped before they reached this log.
    mutating func omit(_ count: Int) { omitted += count }

    mutating func admits(at milliseconds: UInt64) -> Bool {
        endSecond(at: milliseconds)
        if milliseconds / 1_000 != second { (second, written) = (milliseconds / 1_000, 0) }
        guard written < RequestLogger.entriesPerSecond else {
            omitted += 1
            return false
        }
        written += 1
        return true
    }
}

extension RequestRecord {
    /// As in `put /rooms/lobby`.
    fileprivate var text: String {
        guard let location else { return name ?? "a request" }
        return "\(name ?? "a request") \(location)"
    }

    fileprivate func fields(of host: String?) -> [(name: String, value: Value)] {
        var fields: [(name: String, value: Value)] = []
        if let host { fields.append(("client", .string(host))) }
        if let name { fields.append(("kind", .string(name))) }
        if let location { fields.append(("location", .string("\(location)"))) }
        return fields
    }
}
