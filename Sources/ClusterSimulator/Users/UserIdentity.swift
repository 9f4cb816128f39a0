import Rules
import SyncProtocol
import Tokens

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
    private static let signer = TokenSigner.shared(
        Array("a key that issuer and cluster share".utf8))

    let identity: UserIdentity
    /// The secret, or a token; nil for somebody who shows nothing.
    let text: String?
    /// The user as which an administrator acts, as JSON.
    var override: String?
    /// When it shows nothing any more; nil if the run is over by then.
    var end: Microseconds?

    /// What shows who somebody is, from now on.
    ///
    /// - Parameter lifetime: In seconds.
    init(_ identity: UserIdentity, at now: Microseconds, lifetime: UInt64, actsAs: Bool) {
        self.identity = identity
        switch identity {
        case .administrator: text = Credential.secret
        case .signedOut: text = nil
        case .user(let uid) where actsAs:
            (text, override) = (Credential.secret, "{\"uid\":\"\(uid)\"}")
        case .user(let uid):
            let start = (VirtualClock.beginning + now / 1_000) / 1_000
            let claims = Claim(members: [
                .init("sub", .string(uid)), .init("iat", .number(Double(start - 600))),
                .init("exp", .number(Double(start + lifetime))),
            ])
            text = Credential.signer.token(claims)
            if lifetime < 600 { end = now - now % 1_000_000 + .seconds(lifetime) }
        }
    }

    /// Whom virtual nodes trust.
    static var trust: TokenTrust {
        var issuer = TokenIssuer(
            nil, keys: [.shared(Array("a key that issuer and cluster share".utf8))])
        issuer.skewSeconds = 0
        return TokenTrust([issuer])
    }
}
