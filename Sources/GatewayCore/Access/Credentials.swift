internal import HTTPText
internal import JSONText
internal import Rules
internal import SyncProtocol
internal import Tokens

/// The secrets or tokens of a request: `Authorization: Bearer S`, `auth=S` or `access_token=S`.
struct Credentials {
    private static let scheme = "bearer "
    private static let names = ["auth", "access_token"]
    private static let override = "auth_variable_override"

    /// The credentials. An `Authorization` of another scheme counts as one, which is invalid.
    private let texts: [String]
    /// The user as which an administrator wants the request done, as JSON.
    private let user: String?

    init(_ head: RequestHead) {
        // A query that cannot be decoded shows nothing.
        let parameters = (try? head.target.parameters()) ?? QueryParameters([])
        texts =
            head.values(of: "authorization").map(Credentials.token)
            + Credentials.names.compactMap(parameters.first)
        user = parameters.first(Credentials.override)
    }

    private static func token(of authorization: String) -> String {
        guard authorization.prefix(scheme.count).lowercased() == scheme else { return "" }
        return String(authorization.dropFirst(scheme.count).trimmingBlanks)
    }

    /// Returns the identity of the sender; several credentials must prove the same one, or administrators.
    ///
    /// - Throws: A refusal without details that help to guess a credential.
    func identity(
        by authentication: inout Authentication, _ json: JSONReader, at now: Moment
    ) throws(RestFailure) -> Identity {
        let user = try user.map { text throws(RestFailure) in try Credentials.claim(text, json) }
        do throws(CredentialFailure) {
            guard let text = texts.first else {
                guard user == nil else { throw .notAdministrator }
                return authentication.initial
            }
            let identity = try authentication.identity(of: text, actingAs: user, at: now)
            for text in texts.dropFirst() {
                let other = try authentication.identity(of: text, actingAs: user, at: now)
                guard other.principal.hasSameRights(as: identity.principal) else { throw .wrong }
            }
            return identity
        } catch {
            throw error.refusal
        }
    }

    private static func claim(
        _ text: String, _ json: JSONReader
    ) throws(RestFailure) -> Claim {
        let claim = try? json.read(Array(text.utf8)) { node in try? Claim(node) }
        if let claim = claim.flatMap(\.self) { return claim }
        throw .invalid(
            "\(override) is not JSON", fix: "send null, or an object such as {\"uid\":\"ada\"}")
    }
}

extension RestFailure {
    /// Whether the request shows a wrong credential, or none.
    var isGuess: Bool { status == 401 }
}
