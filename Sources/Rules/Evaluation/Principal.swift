/// The identity behind an operation, as rules see it.
public enum Principal: Equatable, Sendable {
    /// An administrator: no rule applies.
    ///
    /// - Parameter name: The name of its credential in attributions, which reveals no secret; nil if it needed none.
    case administrator(name: String?)
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

    /// Whether it is an administrator, of any name.
    public var isAdministrator: Bool { if case .administrator = self { true } else { false } }

    /// Whether both are the same user, or both are administrators.
    public func hasSameRights(as other: Principal) -> Bool {
        self == other || isAdministrator && other.isAdministrator
    }

    /// The value of `auth` in rules; nil for an administrator, to which no rule applies.
    public var auth: Claim? {
        switch self {
        case .administrator: nil
        case .monitor: .null
        case .user(let auth), .override(let auth): auth
        }
    }
}
