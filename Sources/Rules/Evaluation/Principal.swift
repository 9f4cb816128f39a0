/// Who does an operation, as far as rules ask.
public enum Principal: Equatable, Sendable {
    /// Whoever has shown a secret of the cluster: no rule applies.
    case administrator
    /// A user with the value of the variable `auth`, which is null for somebody who is not signed in.
    case user(Claim)
    /// A user with this value of `auth` to whom refusals say why: an administrator who acts as one, or whoever shows a token
    /// for debugging.
    case override(Claim)

    /// Somebody who is not signed in.
    public static let anonymous = Principal.user(.null)

    /// The value of `auth` by which rules judge; nil for an administrator, whom no rule concerns.
    public var auth: Claim? {
        switch self {
        case .administrator: nil
        case .user(let auth), .override(let auth): auth
        }
    }
}
