import TLS
import Tokens

/// The keys of issuers that a node's files have, which change as issuers get others: some are missing for a while.
struct KeyFiles {
    enum Missing: CaseIterable {
        case none
        /// The secret.
        case shared
        /// One of the two keys of an issuer, or the issuer.
        case first, people
        case machines

        /// Whether tokens of a form are invalid.
        func lacks(_ form: TokenForm) -> Bool {
            switch self {
            case .none: false
            case .shared: form.issuer == .shared
            case .first: form.issuer == .people && form != .renewed
            case .people: form.issuer == .people
            case .machines: form.issuer == .machines
            }
        }
    }

    private(set) var missing = Missing.none
    /// When they changed last.
    private var changed: Microseconds?

    /// The issuers that the node trusts by them.
    var trust: TokenTrust { TokenMint.trust(without: missing) }

    mutating func change(to next: Missing, at now: Microseconds) {
        (missing, changed) = (next, now)
    }

    /// Whether a client's credential is invalid.
    func lack(_ credential: Credential) -> Bool { credential.form.map(missing.lacks) ?? false }

    /// Whether they are the same as at a time.
    func areSteady(since time: Microseconds) -> Bool { changed.map { $0 < time } ?? true }
}

extension TokenMint {
    /// The trusted issuers of nodes whose files lack some keys.
    static func trust(without missing: KeyFiles.Missing) -> TokenTrust {
        var trust = trust
        switch missing {
        case .none: break
        case .shared: trust.issuers.remove(at: 0)
        case .first: trust.issuers[1].keys.remove(at: 0)
        case .people: trust.issuers.remove(at: 1)
        case .machines: trust.issuers.remove(at: 2)
        }
        return trust
    }
}
