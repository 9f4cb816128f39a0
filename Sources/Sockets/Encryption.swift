internal import TLS

/// The TLS of a connection: what waits to be encrypted, and the filter that does it.
final class Encryption {
    /// The bytes that one step of a handshake counts for in a turn, because it takes as long: 32 of them in 4 MiB.
    static let handshakeBytes = 128 << 10
    /// How much is encrypted at once: the rest waits as it is, without a copy.
    private static let bytesAtOnce = 64 << 10

    let filter: TLSFilter
    /// The bytes that wait for encryption.
    var plain = OutgoingBytes()

    init(_ filter: TLSFilter) { self.filter = filter }

    /// Whether the two ends have yet to agree on keys.
    var isHandshaking: Bool { filter.state == .handshaking }

    /// Why the connection failed; nil if it did not.
    var failure: TLSError? {
        if case .failed(let error) = filter.state { error } else { nil }
    }

    /// The next bytes for the wire; empty while nothing waits, or the keys are not there.
    func next() -> [UInt8] {
        if filter.state == .open, !plain.isEmpty {
            filter.send(plain.removeFirst(upTo: Encryption.bytesAtOnce))
        }
        return filter.takeOutgoing()
    }
}
