internal import HTTPText

/// What a request shows to be done: `Authorization: Bearer S`, `auth=S` or `access_token=S`.
struct Credentials {
    private static let scheme = "bearer "
    private static let names = ["auth", "access_token"]

    /// The texts that are shown; an `Authorization` of another scheme counts as one, and is no secret.
    private let texts: [String]
    /// Whether the request is to be done as some user would do it.
    private let namesUser: Bool

    init(_ head: RequestHead) {
        // A query that cannot be decoded shows nothing.
        let parameters = (try? head.target.parameters()) ?? QueryParameters([])
        texts =
            head.values(of: "authorization").map(Credentials.token)
            + Credentials.names.compactMap(parameters.first)
        namesUser = parameters.first("auth_variable_override") != nil
    }

    private static func token(of authorization: String) -> String {
        guard authorization.prefix(scheme.count).lowercased() == scheme else { return "" }
        return String(authorization.dropFirst(scheme.count).trimmingBlanks)
    }

    /// Requires that all that is shown is a secret.
    ///
    /// - Throws: a refusal that says only whether anything was shown.
    func check(by secrets: SecretHashes) throws(RestFailure) {
        if texts.isEmpty { throw .permissionDenied }
        guard texts.allSatisfy(secrets.contains) else { throw .wrongCredential }
        // Without rules, no user may do anything.
        if namesUser { throw .permissionDenied }
    }
}

extension RestFailure {
    static let permissionDenied = RestFailure(
        status: 401, problem: "Permission denied",
        fix: "send one of the cluster's secrets as Authorization: Bearer, or as auth")

    static let wrongCredential = RestFailure(
        status: 401, problem: "Could not parse auth token.",
        fix: "send one of the cluster's secrets, as `hearth keys secret` made it")

    /// Whether the answer waits, so that whoever guesses secrets gets on slowly.
    var isDelayed: Bool { status == 401 }
}
