internal import CommandLineKit
internal import DataTree

// How `hearth bench append` measures what rules cost.

extension RulesBenchmark {
    private static let rules = Option(
        "rules", "FILE",
        "Measures what rules cost instead: W1 by an administrator and by a user whom these rules judge, in turns; the word typical is a "
            + "set of four rules.", values: .file)
    private static let user = Option(
        "as", "UID", "The user, who appends below /bench/UID; ada. Only with --rules.")
    private static let rounds = Option(
        "rounds", "NUMBER", "How often both append; 5. Only with --rules.")

    static let options = [rules, user, rounds]

    /// The benchmark that a command asks for; nil unless it names rules.
    init?(_ invocation: Invocation, appends: Int, durability: String) throws(CommandError) {
        let roundCount = try invocation.integer(Self.rounds, in: 1...1_000) ?? 5
        let uid = invocation[Self.user] ?? "ada"
        guard let file = invocation[Self.rules] else {
            guard invocation[Self.user] == nil, invocation[Self.rounds] == nil else {
                throw invocation.usageError(
                    "--as and --rounds are of users whom rules judge",
                    fix: "name the rules, as in --rules typical")
            }
            return nil
        }
        guard (try? Key(uid)) != nil else {
            throw invocation.usageError(
                "--as \(uid) is no key of the tree", fix: "name a user such as ada")
        }
        let source =
            file == "typical"
            ? Self.typicalRules
            : String(decoding: try InputFile(file).readAll(), as: UTF8.self)
        self.init(
            rules: source, user: uid, appends: appends, durability: durability,
            rounds: roundCount)
    }

    /// Measures all rounds, and shows each measurement, and then how much more the user's appends cost.
    func run(showing report: inout BenchReport) throws(CommandError) {
        var percents: [Double] = []
        for round in 0..<rounds {
            let pair = try runPair(round)
            report.show(pair.administrator.fields)
            report.show(pair.user.fields)
            percents.append(pair.additionalPercent)
        }
        percents.sort()
        let median = (percents[(rounds - 1) / 2] + percents[rounds / 2]) / 2
        report.summarize(
            [.fraction("more CPU %", "additionalCPUPercent", median)]
        ) { texts in
            "a user's appends cost \(texts[0]) % more processor time than an administrator's ("
                + (rounds == 1 ? "one round)" : "median of \(rounds) rounds)")
        }
    }
}
