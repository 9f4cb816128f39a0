internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import JSONText

/// `hearth keys follow`: keeps the file of an issuer's public keys up to date, beside the node that reads it.
enum KeysFollowVerb {
    static let verb = Verb(
        "follow",
        "Fetches the public keys of a token issuer (JWKS, or Google's certificates) and writes them to a "
            + "file, again whenever they change. Nodes load a changed file within seconds. After a failure, "
            + "the old file stays, and the command tries again.",
        arguments: [url], options: [out, once, every, authorities, json],
        examples: [
            "hearth keys follow https://my-tenant.eu.auth0.com/.well-known/jwks.json --out keys.json",
            "hearth keys follow https://127.0.0.1:8443/realms/app/protocol/openid-connect/certs --out keys.json --ca ca.pem --once",
        ], work: run)

    private static let url = Argument("URL", "The issuer's key set, its jwks_uri.")
    private static let out = Option(
        "out", "FILE",
        "The file for the keys, which \"keys\" of an issuer in the configuration names.",
        values: .file)
    private static let once = Option(
        flag: "once",
        "Fetch once, and end: with 69 if no keys came, and with 65 for an invalid set.")
    private static let every = Option(
        "every", "SECONDS",
        "Fetch so often. By default the server's Cache-Control decides, between a minute and an hour."
    )
    private static let authorities = Option(
        "ca", "FILE", "Trust the authorities in this PEM file, instead of those of the system.",
        values: .file)
    private static let json = Option(flag: "json", "Print each outcome as one JSON object.")

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let source = try KeySource(invocation[url], authorities: invocation[authorities])
        try source.checkAuthorities()
        guard let file = invocation[out] else {
            throw invocation.usageError("--out is missing", fix: "name the file for the keys")
        }
        var follower = KeyFollower(
            source, into: file, every: try invocation.integer(every, in: 1...86_400))
        let report = KeysReport(file: file, isJSON: invocation.has(json))
        if invocation.has(once) {
            let outcome = follower.refresh().outcome
            report.print(outcome)
            if case .failed(let error) = outcome { throw error }
            return .success
        }
        StopRequest.watch()
        while !StopRequest.isThere {
            let (outcome, seconds) = follower.refresh()
            report.print(outcome, again: seconds)
            wait(seconds)
        }
        return .success
    }

    private static func wait(_ seconds: Int) {
        let end = ContinuousClock.now + .seconds(seconds)
        // In pieces short enough for Ctrl-C.
        while !StopRequest.isThere, ContinuousClock.now < end { usleep(50_000) }
    }
}

/// Prints the outcomes of fetches.
private struct KeysReport {
    let file: String
    let isJSON: Bool

    /// - Parameter seconds: When the keys are fetched again; nil if they are not.
    func print(_ outcome: KeyFollower.Outcome, again seconds: Int? = nil) {
        if isJSON {
            StandardOutput.shared.print(json(outcome, seconds))
        } else {
            printText(outcome, seconds)
        }
        StandardOutput.shared.flush()
    }

    private func printText(_ outcome: KeyFollower.Outcome, _ seconds: Int?) {
        switch outcome {
        case .replaced(let algorithms, let skipped):
            for phrase in skipped {
                Terminal.standardError.print("warning: \(file) has \(phrase): it is skipped")
            }
            let count = algorithms.count == 1 ? "1 key" : "\(algorithms.count) keys"
            StandardOutput.shared.print(
                "\(file) has \(count): \(algorithms.joined(separator: ", "))")
        case .unchanged:
            if seconds == nil { StandardOutput.shared.print("\(file) has the present keys") }
        case .failed(let error):
            // Without another attempt, the error of the command says it.
            guard let seconds else { return }
            Terminal.standardError.print(
                "\(file) is unchanged: \(error.problem); next attempt in \(seconds) s")
            Terminal.standardError.print("fix: \(error.fix)")
        }
    }

    private func json(_ outcome: KeyFollower.Outcome, _ seconds: Int?) -> String {
        var members: [(String, Value)] = [("file", .string(file))]
        switch outcome {
        case .replaced(let algorithms, let skipped):
            members.append(("outcome", .string("replaced")))
            if !skipped.isEmpty { members.append(("skipped", .integer(Int64(skipped.count)))) }
            members.append(("keys", .integer(Int64(algorithms.count))))
        case .unchanged: members.append(("outcome", .string("unchanged")))
        case .failed(let error):
            members += [
                ("outcome", .string("failed")), ("problem", .string(error.problem)),
                ("fix", .string(error.fix)),
            ]
        }
        if let seconds { members.append(("nextSeconds", .integer(Int64(seconds)))) }
        return JSONWriter.text(of: .object(named: members))
    }
}
