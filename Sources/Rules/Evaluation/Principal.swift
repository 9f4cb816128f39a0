/// The identity behind an operation, as rules see it.
public enum Principal: Equatable, Sendable {
    /// An administrator: no rule applies.
    case administrator
    /// A monitor: it may read the status of nodes and take backups, and no rule gives it data.
    case monitor
    /// A user with the value of the variable `auth`, which is null for a client that is not signed
    /// in.
    case user(Claim)
    /// A user with this value of `auth` whose refusals have reasons: an administrator that acts as
    /// a user, or a client with a debugging token.
    case override(Claim)

    /// A client that is not signed in.
    public static let anonymous = Principal.user(.null)

    /// The value of `auth` in rules; nil for an administrator, to which no rule applies.
    public var auth: Claim? {
        switch self {
        case .administrator: nil
        case .monitor: .null
        case .user(let auth), .override(let auth): auth
        }
    }
}
