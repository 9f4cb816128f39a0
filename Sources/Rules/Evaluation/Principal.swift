/// Who does an operation, as far as rules ask.
public enum Principal: Equatable, Sendable {
    /// Whoever has shown a secret of the cluster: no rule applies.
    case administrator
    /// A user with the value of the variable `auth`, which is null for somebody who is not signed in.
    case user(Claim)

    /// Somebody who is not signed in.
    public static let anonymous = Principal.user(.null)
}
