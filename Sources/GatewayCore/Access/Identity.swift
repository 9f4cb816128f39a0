package import Rules
internal import SyncProtocol
internal import Tokens

/// Who a client is, and for how long.
package struct Identity: Equatable {
    /// Who it is, as far as rules ask.
    package var principal: Principal
    /// When what it has shown expires, in seconds since 1970; nil if that does not.
    var expiresSeconds: Double?
    /// When that shows nothing any more, by the clock that never steps.
    private(set) var endMilliseconds: UInt64?
    /// By what a token was believed that it has shown.
    private var proof: TokenProof?

    /// Somebody whom no token shows.
    package init(_ principal: Principal) { self.principal = principal }

    /// Whom a token shows.
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

    /// Ends it, if it was believed by a key that is not trusted any more.
    mutating func end(unless trust: TokenTrust, at now: Moment) {
        guard let proof, !trust.believes(proof) else { return }
        endMilliseconds = min(endMilliseconds ?? .max, now.elapsedMilliseconds)
    }

    /// Whether what it has shown shows nothing any more.
    func hasEnded(at milliseconds: UInt64) -> Bool {
        endMilliseconds.map { milliseconds >= $0 } ?? false
    }
}
