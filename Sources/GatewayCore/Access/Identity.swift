package import Rules
internal import SyncProtocol
internal import Tokens

/// The identity of a client, and its expiry.
package struct Identity: Equatable {
    /// The principal that rules see.
    package var principal: Principal
    /// When what it has shown expires, in seconds since 1970; nil if that does not.
    var expiresSeconds: Double?
    /// The time of expiry on the monotonic clock.
    private(set) var endMilliseconds: UInt64?
    /// By what a token was believed that it has shown.
    private var proof: TokenProof?

    /// The identity of a client without a token.
    package init(_ principal: Principal) { self.principal = principal }

    /// The identity that a token proves.
    init(_ shown: TokenIdentity, at now: Moment) {
        self.init(shown.principal)
        expiresSeconds = shown.expiresSeconds
        proof = shown.proof
        guard let end = shown.endSeconds else { return }
        let left = (end * 1_000 - Double(now.wallMilliseconds)).rounded(.up)
        // A token of a million years is as good as one that does not expire.
        guard left < 3e16 else { return }
        endMilliseconds = now.elapsedMilliseconds + UInt64(max(0, left))
    }

    /// Ends the identity if its key is no longer trusted.
    mutating func end(unless trust: TokenTrust, at now: Moment) {
        guard let proof, !trust.believes(proof) else { return }
        endMilliseconds = min(endMilliseconds ?? .max, now.elapsedMilliseconds)
    }

    /// Whether the identity has expired.
    func hasEnded(at milliseconds: UInt64) -> Bool {
        endMilliseconds.map { milliseconds >= $0 } ?? false
    }
}
