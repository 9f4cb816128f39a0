import Rules
import SyncProtocol

/// The identity of a client.
enum UserIdentity: Equatable {
    case administrator
    case signedOut
    /// - Parameter provider: The `auth.provider` that rules see.
    case user(String, provider: String? = nil)

    /// The identity for a node's principal.
    init(_ principal: Principal) {
        switch principal.auth {
        case nil: self = .administrator
        case .object(let members)?:
            guard case .string(let uid)? = members.first(where: { $0.name == "uid" })?.value else {
                self = .signedOut
                return
            }
            var provider: String?
            if case .string(let name)? = members.first(where: { $0.name == "provider" })?.value {
                provider = name
            }
            self = .user(uid, provider: provider)
        default: self = .signedOut
        }
    }

    /// The user.
    var uid: String? {
        if case .user(let uid, _) = self { uid } else { nil }
    }

    /// As the driver of a node has it.
    var principal: Principal {
        switch self {
        case .administrator: .administrator(name: nil)
        case .signedOut: .anonymous
        case .user: .user(auth!)
        }
    }

    /// Its claims in rules; nil for an administrator.
    var auth: Claim? {
        switch self {
        case .administrator: nil
        case .signedOut: .null
        case .user(let uid, nil): .user(uid)
        case .user(let uid, let provider?):
            Claim(members: [.init("provider", .string(provider)), .init("uid", .string(uid))])
        }
    }
}

extension UserIdentity: CustomStringConvertible {
    var description: String {
        switch self {
        case .administrator: "an administrator"
        case .signedOut: "nobody"
        case .user(let uid, nil): uid
        case .user(let uid, let provider?): "\(uid) of \(provider)"
        }
    }
}
