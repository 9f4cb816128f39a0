internal import Tokens

/// The reason why a credential is invalid, as far as its sender may learn it.
enum CredentialFailure: Error, Equatable {
    /// It is no secret, and no token that is trusted.
    case wrong
    /// It is signed by an algorithm that is unknown, or none.
    case algorithm(String)
    /// It is a token that has expired, or was taken back.
    case expired
    /// A client other than an administrator requests to act as a user.
    case notAdministrator

    /// The failure of a token, without details that help to guess one.
    init(_ failure: TokenFailure) {
        switch failure {
        case .expired, .revoked: self = .expired
        case .algorithm(let name): self = .algorithm(name)
        default: self = .wrong
        }
    }

    /// The status by which Firebase's clients know it.
    var realtimeStatus: String {
        switch self {
        case .wrong, .algorithm: "invalid_token"
        case .expired: "expired_token"
        case .notAdministrator: "permission_denied"
        }
    }

    /// The answer to the client.
    var refusal: RestFailure {
        switch self {
        case .wrong: .wrongCredential
        case .algorithm(let name):
            RestFailure(
                status: 401, problem: "Unsupported jwt algorithm: \(name)",
                fix: "send a token that a trusted issuer has signed")
        case .expired:
            RestFailure(
                status: 401, problem: "Auth token is expired", fix: "send a new token"
            )
        case .notAdministrator: .permissionDenied
        }
    }
}

extension RestFailure {
    static let permissionDenied = RestFailure(
        status: 401, problem: "Permission denied",
        fix:
            "send a token that permits this or an administrator's secret (Authorization: Bearer, or auth), or change the rules"
    )

    static let monitorsOnlyObserve = RestFailure(
        status: 403,
        problem: "A monitor may only read /health, /status and /metrics, and take backups.",
        fix: "send an administrator's secret, or a token of a user whom the rules permit this")

    static let wrongCredential = RestFailure(
        status: 401, problem: "Could not parse auth token.",
        fix:
            "send a complete token of a trusted issuer, or an administrator's secret of the cluster"
    )
}
