internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit
internal import Glibc
internal import Rules
internal import TLS
internal import Tokens

/// `hearth token show`: what a token says, and what a cluster makes of it.
enum TokenShowVerb {
    static let verb = Verb(
        "show",
        "Prints the content of a token. With --config, also prints which client the nodes of "
            + "that cluster recognise, or why they refuse the token.",
        arguments: [token], options: [TokenOptions.configuration],
        examples: [
            "hearth token show ada.token", "hearth token show ada.token --config cluster.json5",
        ]
    ) { invocation throws(CommandError) in
        let text = try text(of: invocation[token])
        let now = Double(time(nil))
        do throws(TokenFailure) {
            let token = try Token(text, by: Token.makeReader())
            for line in lines(of: token, at: now) { StandardOutput.shared.print(line) }
        } catch {
            throw CommandError(.badData, error.problem, fix: error.fix)
        }
        guard let settings = try TokenOptions.settings(of: invocation) else { return .success }
        try verify(text, by: settings, at: now)
        return .success
    }

    private static let token = Argument(
        "TOKEN", "The token, or a file with it; - reads it from standard input.",
        values: .file)

    private static func text(of word: String) throws(CommandError) -> String {
        if Secret.isToken(word) { return word }
        let bytes = try InputFile(word).readAll()
        return String(
            decoding: bytes.reversed().drop { $0 == 10 || $0 == 13 }.reversed(), as: UTF8.self)
    }

    private static func lines(of token: Token, at now: Double) -> [String] {
        var lines = ["algorithm  \(token.algorithm)"]
        if let id = token.keyID { lines.append("key        \(id)") }
        guard case .object(let members) = token.claims else { return lines }
        for member in members {
            var line = "claim      \(member.name) \(member.value.json)"
            if ["exp", "iat", "nbf", "auth_time"].contains(member.name),
                case .number(let seconds) = member.value
            {
                line += describe(of: seconds, at: now)
            }
            lines.append(line)
        }
        return lines
    }

    /// A time for people: `  2026-11-22 05:58:10, in 59 min`.
    private static func describe(of seconds: Double, at now: Double) -> String {
        guard (0...1e11).contains(seconds) else { return "" }
        let away = Int(abs(seconds - now))
        let count =
            away < 120
            ? "\(away) s" : away < 7_200 ? "\(away / 60) min" : "\(away / 3_600) hours"
        let time = LogTime.text(of: UInt64(seconds) * 1_000).prefix(19)
        return "  (\(time), \(seconds <= now ? "\(count) ago" : "in \(count)"))"
    }

    private static func verify(
        _ text: String, by settings: TokenSettings, at now: Double
    ) throws(CommandError) {
        let trust: TokenTrust
        do throws(NodeError) {
            trust = try settings.readTrust()
        } catch {
            throw CommandError(.noInput, error.problem, fix: error.fix)
        }
        do throws(TokenFailure) {
            let shown = try trust.identity(of: text, at: now, by: Token.makeReader())
            switch shown.principal {
            case .administrator: StandardOutput.shared.print("accepted   as an administrator")
            case .monitor: StandardOutput.shared.print("accepted   as a monitor")
            case .user(let auth): StandardOutput.shared.print("accepted   auth is \(auth.json)")
            case .override(let auth):
                StandardOutput.shared.print(
                    "accepted   for debugging: refusals say why; auth is \(auth.json)")
            }
        } catch {
            throw CommandError(
                .checkFailed, "the cluster refuses the token: \(error.problem)", fix: error.fix)
        }
    }
}
