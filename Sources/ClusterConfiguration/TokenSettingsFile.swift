internal import FoundationEssentials

/// The part `tokens` of a configuration file.
struct TokenDocument: StrictlyDecodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case issuers, unsignedTokens
    }

    let issuers: [Strict<Issuer>]?
    let unsignedTokens: Bool?

    struct Issuer: StrictlyDecodable {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case issuer, audience, keys, signingKeys, user, provider, admin, skewSeconds
            case maxAgeSeconds, validSince
            /// The name of `signingKeys` in earlier versions.
            case secrets
        }

        let issuer: String?
        let audience: Texts?
        let keys: String?
        let signingKeys: [String]?
        let secrets: [String]?
        let user: String?
        let provider: String?
        let admin: String?
        let skewSeconds: Int?
        let maxAgeSeconds: Int?
        let validSince: String?
    }

    /// One text, or a list of them.
    struct Texts: Decodable {
        let all: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                all = [text]
            } else {
                all = try container.decode([String].self)
            }
        }
    }
}

extension TokenSettings {
    init(_ document: TokenDocument, in file: ConfigurationFile) throws(NodeError) {
        unsignedTokens = document.unsignedTokens ?? false
        let issuers = document.issuers ?? []
        guard issuers.count <= TokenSettings.issuerLimit else {
            throw file.error(
                #""issuers" has \#(issuers.count) entries"#, at: ["tokens", "issuers"],
                fix: "list \(TokenSettings.issuerLimit) at most")
        }
        self.issuers = try issuers.map { issuer throws(NodeError) in
            try Issuer(issuer.content, in: file)
        }
    }
}

extension TokenSettings.Issuer {
    fileprivate init(
        _ document: TokenDocument.Issuer, in file: ConfigurationFile
    ) throws(NodeError) {
        name = document.issuer
        audiences = document.audience?.all ?? []
        keys = document.keys.map(file.resolve)
        guard document.signingKeys == nil || document.secrets == nil else {
            throw file.error(
                #"an issuer has "signingKeys" and "secrets", its earlier name"#,
                at: ["tokens", "issuers"],
                fix: #"list all of them in "signingKeys""#)
        }
        signingKeys = (document.signingKeys ?? document.secrets ?? []).map(file.resolve)
        userClaim = document.user ?? userClaim
        (providerClaim, adminClaim) = (document.provider, document.admin)
        skewSeconds =
            try file.number(document.skewSeconds, in: 0...3_600, at: "skewSeconds") ?? skewSeconds
        maxAgeSeconds = try file.number(
            document.maxAgeSeconds, in: 1...1_000_000_000, at: "maxAgeSeconds")
        validSinceSeconds = try document.validSince.map { text throws(NodeError) in
            guard let date = try? Date(text, strategy: .iso8601) else {
                throw file.error(
                    "\"validSince\" is not a time: \"\(text)\"", at: ["tokens", "issuers"],
                    fix: "write it as 2026-01-31T12:00:00Z")
            }
            return Int(date.timeIntervalSince1970)
        }
        try check(in: file)
    }

    private func check(in file: ConfigurationFile) throws(NodeError) {
        let place = ["tokens", "issuers"]
        let named = name.map { "the issuer \"\($0)\"" } ?? "an issuer"
        guard (keys == nil) != signingKeys.isEmpty else {
            throw file.error(
                "\(named) needs either \"keys\" or \"signingKeys\"", at: place,
                fix:
                    "name the file with its public keys as \"keys\", or the file of a signing key (`hearth keys signing-key`) in \"signingKeys\""
            )
        }
        guard signingKeys.count <= TokenSettings.signingKeyLimit else {
            throw file.error(
                "\(named) has \(signingKeys.count) signing keys", at: place,
                fix:
                    "list \(TokenSettings.signingKeyLimit) at most: the one in use, and the one that replaces it"
            )
        }
        if keys == nil { return }
        guard name != nil, !audiences.isEmpty else {
            throw file.error(
                "\(named) with public keys needs \"issuer\" and \"audience\"", at: place,
                fix:
                    "write the iss and aud of its tokens; otherwise it would vouch for users of other programs"
            )
        }
    }
}
