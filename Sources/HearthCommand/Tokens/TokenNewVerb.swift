internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import JSONText
internal import Rules
internal import TLS
internal import Tokens

/// `hearth token new`: a token that a signing key or a private key signs.
enum TokenNewVerb {
    static let verb = Verb(
        "new",
        "Signs a token for a user, and prints it or writes it to a new file. Uses a private key, or "
            + "a signing key of the cluster.",
        options: [
            user, claim, lifetime, signer, TokenOptions.configuration, issuer, audience, keyID,
            file,
        ],
        examples: [
            "hearth token new --uid ada --with signing.key --out ada.token",
            "hearth token new --uid ada --claim admin=true --for 1h --config cluster.json5",
            "hearth token new --uid ada --claim 'teams=[\"red\"]' --with key.pem --issuer https://id.test --audience app",
        ]
    ) { invocation throws(CommandError) in
        let settings = try TokenOptions.settings(of: invocation)
        let shared = settings?.issuers.first { !$0.signingKeys.isEmpty }
        let keyFile =
            invocation[signer] ?? shared?.signingKeys.first
            ?? TokenOptions.signingKey(of: invocation)
        guard let keyFile else {
            throw invocation.usageError(
                "\(invocation.name): the token has no signing key",
                fix: "name a file by --with: the signing.key of `hearth setup --tokens`, or "
                    + "another key that signs tokens for the cluster")
        }
        let key = try signer(inFile: keyFile, id: invocation[keyID])
        let (own, signer) = issuer(with: key, in: settings) ?? (shared, key)
        let token = try Draft(invocation, own).claims(invocation)
        try write(signer.token(token), to: invocation[file])
        return .success
    }

    private static let user = Option(
        "uid", "NAME",
        "The user ID, which becomes auth.uid in rules.")
    private static let claim = Option(
        "claim", "NAME=VALUE",
        "A further claim of the token. The value is JSON or a text. May be repeated.")
    private static let lifetime = Option(
        "for", "TIME", "How long the token is valid: 90s, 15min, 1h or 7d; 1h by default.")
    private static let signer = Option(
        "with", "FILE",
        "The key: a private key as PEM (RSA, P-256 or Ed25519), or a signing key that the cluster "
            + "has, too (`hearth keys signing-key`). With --config, the key is by default that of the "
            + "configuration or signing.key beside it, and the token has the issuer of the key.",
        values: .file)
    private static let issuer = Option("issuer", "NAME", "The issuer, as iss.")
    private static let audience = Option("audience", "NAME", "The audience, as aud.")
    private static let keyID = Option("key-id", "NAME", "The ID of the private key, as kid.")
    private static let file = Option(
        "out", "FILE", "Write the token to this new file, which only its owner can read.",
        values: .file)

    private static func write(_ token: String, to path: String?) throws(CommandError) {
        guard let path else { return StandardOutput.shared.print(token) }
        try NewFile(
            path: path, mode: 0o600, fix: "name a new file in a folder that you may write"
        ).write(token + "\n")
    }

    /// Returns the issuer of the cluster that has a private key, and the signer with the name of that key; nil if there is none.
    private static func issuer(
        with signer: TokenSigner, in settings: TokenSettings?
    ) -> (TokenSettings.Issuer?, TokenSigner)? {
        guard case .key(let key, let id) = signer else { return nil }
        let found = settings.flatMap { try? TokenKeyFiles($0) }?.issuer(of: key.publicKey)
        return (found?.issuer, .key(key, id: id ?? found?.keyID))
    }

    /// Returns the signer of a key file.
    private static func signer(
        inFile path: String, id: String?
    ) throws(CommandError) -> TokenSigner {
        let text = String(decoding: try InputFile(path).readAll(), as: UTF8.self)
        if text.contains("PRIVATE KEY-----") {
            if let key = SigningKey(pem: text) { return .key(key, id: id) }
            throw CommandError(
                .badData, "\(path) has no private key that signs tokens, or it has a password",
                fix: "use RSA with 2048 bits or more, P-256 or Ed25519, as PEM")
        }
        do throws(TLSError) {
            let key = Array(try SecretFile(path, .signingKey).read().text.utf8)
            if key.count >= TokenKey.sharedBytes { return .shared(key) }
        } catch {
            throw CommandError(.noInput, error.problem, fix: error.fix)
        }
        throw CommandError(
            .badData, "the signing key in \(path) has fewer than \(TokenKey.sharedBytes) bytes",
            fix: "create one with `hearth keys signing-key`")
    }

    /// The content of a token, from a command and the cluster's configuration.
    private struct Draft {
        private let own: TokenSettings.Issuer?
        private let seconds: Int

        init(_ invocation: Invocation, _ own: TokenSettings.Issuer?) throws(CommandError) {
            self.own = own
            let text = invocation[lifetime] ?? "1h"
            guard let seconds = Draft.seconds(in: text) else {
                throw invocation.usageError(
                    "--\(lifetime.name) \(text): not a time", fix: "give 90s, 15min, 1h or 7d")
            }
            self.seconds = seconds
        }

        /// The claims; those of the command line replace others.
        func claims(_ invocation: Invocation) throws(CommandError) -> Claim {
            let now = Double(time(nil))
            var members = [
                Claim.Member("iat", .number(now)),
                Claim.Member("exp", .number(now + Double(seconds))),
            ]
            if let name = invocation[issuer] ?? own?.name {
                members.append(Claim.Member("iss", .string(name)))
            }
            if let name = invocation[audience] ?? own?.audiences.first {
                members.append(Claim.Member("aud", .string(name)))
            }
            if let name = invocation[user] {
                let claim = own?.userClaim ?? "sub"
                try Draft.check(name, as: claim, invocation)
                members.append(Claim.Member(claim, .string(name)))
            }
            for text in invocation.values(of: claim) {
                members.append(try Draft.member(text, invocation))
            }
            return Claim(members: members)
        }

        /// Refuses a user whose token nodes would refuse; of an e-mail address they make a key.
        private static func check(
            _ name: String, as claim: String, _ invocation: Invocation
        ) throws(CommandError) {
            if claim == "email" { return }
            do throws(DataError) { _ = try Key(name) } catch {
                throw invocation.usageError("--\(user.name): \(error.problem)", fix: error.fix)
            }
        }

        private static func member(
            _ text: String, _ invocation: Invocation
        ) throws(CommandError) -> Claim.Member {
            guard let end = text.firstIndex(of: "="), end > text.startIndex else {
                throw invocation.usageError(
                    "--\(claim.name) \(text): no name and value", fix: "write it as admin=true")
            }
            let value = String(text[text.index(after: end)...])
            let json = try? Token.makeReader().read(Array(value.utf8)) { node in try? Claim(node) }
            return Claim.Member(String(text[..<end]), json.flatMap(\.self) ?? .string(value))
        }

        private static func seconds(in text: String) -> Int? {
            let units = [("min", 60), ("s", 1), ("h", 3_600), ("d", 86_400)]
            guard let (suffix, factor) = units.first(where: { text.hasSuffix($0.0) }),
                let count = Int(text.dropLast(suffix.count)), (1...1_000_000).contains(count)
            else { return nil }
            return count * factor
        }
    }
}
