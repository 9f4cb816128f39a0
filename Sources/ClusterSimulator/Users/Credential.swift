/// A client's credential for a gateway, and its validity.
struct Credential {
    /// What makes administrators.
    static let secret = "the-secret-of-all-virtual-nodes-1"

    /// The identity that it proves.
    let identity: UserIdentity
    /// The secret, or a token; nil for a client without a credential.
    let text: String?
    /// The user as which an administrator acts, as JSON.
    var override: String?
    /// The end of its validity; nil if the run is over by then.
    var end: Microseconds?
    /// If it is a token.
    var form: TokenForm?

    /// Whether nodes have to accept it.
    var isGood: Bool { form?.isGood ?? true }

    /// Whether it still shows something.
    func shows(at now: Microseconds) -> Bool {
        guard let end else { return isGood }
        return isGood && now < end
    }

    /// Whether it has expired at every node.
    ///
    /// - Parameter uncertainty: The largest delay of a node's clock.
    func hasEnded(by now: Microseconds, _ uncertainty: Microseconds) -> Bool {
        end.map { now >= $0 + uncertainty } ?? false
    }

    /// Creates a credential for an identity, valid from now on.
    ///
    /// - Parameters:
    ///   - lifetime: In seconds.
    /// - form: The form of its token; nil for the secret of administrators.
    init(
        _ identity: UserIdentity, at now: Microseconds, lifetime: UInt64, actsAs: Bool,
        form: TokenForm? = nil
    ) {
        let start = (VirtualClock.beginning + now / 1_000) / 1_000
        self.form = form
        if let form, !form.isGood {
            self.identity = .signedOut
            text = TokenMint.text(form, of: identity.uid, from: start, lifetime: lifetime)
            return
        }
        var shown = identity
        switch (identity, form) {
        case (.signedOut, _):
            text = nil
            self.form = nil
        case (.administrator, nil): text = Credential.secret
        case (.user(let uid, _), _) where actsAs:
            (text, override) = (Credential.secret, "{\"uid\":\"\(uid)\"}")
            self.form = nil
        case (.administrator, _), (.user, _):
            let form = identity.uid != nil || form?.mayAdminister == true ? form ?? .plain : .plain
            text = TokenMint.text(form, of: identity.uid, from: start, lifetime: lifetime)
            self.form = form
            if let uid = identity.uid { shown = .user(uid, provider: form.issuer.provider) }
            if lifetime < 600 {
                end = now - now % 1_000_000 + .seconds(lifetime + TokenMint.skew)
            }
        }
        self.identity = shown
    }
}
