import DataTree
import SyncProtocol

/// The limits of a database, and their use by its clients. Peers' operations and on-disconnect writes are never limited.
struct DatabaseQuota: Sendable {
    /// The children that decide about the size of a large answer.
    private static let samples = 1_024

    private(set) var limits = DatabaseLimits()
    private var writes: TokenBucket?
    private var bytes: TokenBucket?

    /// Whether writes have limits.
    var limitsWrites: Bool {
        writes != nil || bytes != nil || limits.limit(.dataBytes) != nil
    }

    /// Sets the limits; a rate that changes begins with a full bucket.
    mutating func set(_ next: DatabaseLimits, at now: UInt64) {
        limits = next
        writes = Self.bucket(next.limit(.writesPerSecond), instead: writes, at: now)
        bytes = Self.bucket(next.limit(.bytesPerSecond), instead: bytes, at: now)
    }

    private static func bucket(
        _ rate: Int?, instead bucket: TokenBucket?, at now: UInt64
    ) -> TokenBucket? {
        guard let rate, bucket?.rate != rate else { return rate == nil ? nil : bucket }
        return TokenBucket(rate: rate, at: now)
    }

    /// Charges a write request, whatever becomes of it.
    ///
    /// - Parameter byteCount: The bytes of its data.
    /// - Throws: The refusal, which costs nothing.
    mutating func spend(writeOf byteCount: Int, at now: UInt64) throws(RequestFailure) {
        if writes?.permits(at: now) == false {
            throw .rate(writes!, "writes", .writesPerSecond)
        }
        if bytes?.permits(at: now) == false {
            throw .rate(bytes!, "bytes of writes", .bytesPerSecond)
        }
        writes?.spend(1)
        bytes?.spend(byteCount)
    }

    /// Why a value is not shown: it is larger than an answer may be. Nil if it may be shown.
    func refusal(ofAnswer value: @autoclosure () -> Value) -> RequestFailure? {
        guard let limit = limits.limit(.answerBytes),
            value().estimatedDataBytes(samples: Self.samples) > limit
        else { return nil }
        return RequestFailure(
            .tooBig,
            "Data requested exceeds the maximum size that can be accessed with a single request.",
            fix: "request less at once: the database permits answers of \(limit) bytes",
            limit: .answerBytes)
    }
}

extension RequestFailure {
    fileprivate static func rate(
        _ bucket: TokenBucket, _ unit: String, _ limit: NodeLimit
    ) -> RequestFailure {
        let seconds = bucket.secondsUntilPermitted
        return RequestFailure(
            .tooMany, "Too many \(unit): the database permits \(bucket.rate) in a second.",
            fix: "try again in \(seconds) \(seconds == 1 ? "second" : "seconds")", limit: limit)
    }
}
