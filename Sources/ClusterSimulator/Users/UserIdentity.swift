import Rules
import SyncProtocol

/// Who a client with an identity is.
enum UserIdentity: Equatable {
    case administrator
    case signedOut
    case user(String)

    /// Who somebody is, as a node has it.
    init(_ principal: Principal) {
        switch principal.auth {
        case nil: self = .administrator
        case .object(let members)?:
            guard case .string(let uid)? = members.first(where: { $0.name == "uid" })?.value else {
                self = .signedOut
                return
            }
            self = .user(uid)
        default: self = .signedOut
        }
    }

    /// The user.
    fileprivate var uid: String? {
        if case .user(let uid) = self { uid } else { nil }
    }

    /// As the driver of a node has it.
    var principal: Principal {
        switch self {
        case .administrator: .administrator
        case .signedOut: .anonymous
        case .user(let uid): .user(.user(uid))
        }
    }

    /// What rules see of it; nil for an administrator.
    var auth: Claim? {
        switch self {
        case .administrator: nil
        case .signedOut: .null
        case .user(let uid): .user(uid)
        }
    }
}

extension UserIdentity: CustomStringConvertible {
    var description: String {
        switch self {
        case .administrator: "an administrator"
        case .signedOut: "nobody"
        case .user(let uid): uid
        }
    }
}

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
            text = form.text(of: identity.uid, from: start, lifetime: lifetime)
            return
        }
        self.identity = identity
        switch (identity, form) {
        case (.signedOut, _):
            text = nil
            self.form = nil
        case (.administrator, nil): text = Credential.secret
        case (.user(let uid), _) where actsAs:
            (text, override) = (Credential.secret, "{\"uid\":\"\(uid)\"}")
            self.form = nil
        case (.administrator, _), (.user, _):
            text = (form ?? .plain).text(of: identity.uid, from: start, lifetime: lifetime)
            self.form = form ?? .plain
            if lifetime < 600 {
                end = now - now % 1_000_000 + .seconds(lifetime + TokenForm.skew)
            }
        }
    }
}
