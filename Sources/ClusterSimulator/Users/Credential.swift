/// What a client shows to a gateway, and for how long it shows who the client is.
struct Credential {
    /// What makes administrators.
    static let secret = "the-secret-of-all-virtual-nodes-1"

    /// Who it shows the client to be.
    let identity: UserIdentity
    /// The secret, or a token; nil for somebody who shows nothing.
    let text: String?
    /// The user as which an administrator acts, as JSON.
    var override: String?
    /// When it shows nothing any more; nil if the run is over by then.
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

    /// Whether it shows nothing any more to any node.
    ///
    /// - Parameter uncertainty: How far clocks of nodes may be behind.
    func hasEnded(by now: Microseconds, _ uncertainty: Microseconds) -> Bool {
        end.map { now >= $0 + uncertainty } ?? false
    }

    /// What shows who somebody is, from now on.
    ///
    /// - Parameters:
    ///   - lifetime: In seconds.
    ///   - form: That of its token; nil for the secret of administrators.
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
