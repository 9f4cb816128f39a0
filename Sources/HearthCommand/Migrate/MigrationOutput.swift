internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import JSONText

/// Prints the steps of a migration: lines for people on standard error, or an object for each step on standard output.
final class MigrationOutput {
    let isJSON: Bool
    private var progress = Progress(of: nil, "values")
    /// Whether an earlier run has copied values, too.
    private var isResumed = false

    init(isJSON: Bool) { self.isJSON = isJSON }

    func report(_ event: Migration.Event) {
        switch event {
        case .progress(let count), .followed(let count): progress.show(count)
        case .resumed:
            isResumed = true
            step("resumed", "resuming an interrupted migration")
        case .copied(let count):
            let text = counted(count, "value") + (isResumed ? " after the interruption" : "")
            step("copied", "copied \(text)", ("values", count))
        case .compared(let hashes, let differences):
            step(
                "compared",
                differences == 0
                    ? "compared \(counted(hashes.count, "value")): both sides are equal"
                    : "compared \(counted(hashes.count, "value")): "
                        + "\(counted(differences, "value")) had changed and "
                        + "\(differences == 1 ? "was" : "were") copied again",
                ("values", hashes.count), ("differences", differences))
        case .following:
            step(
                "following",
                "following the changes of the source; stop the programs that write to it, then press Ctrl-C to end the migration"
            )
        case .streamLost(let problem):
            step("reconnecting", "connecting to the source again: \(problem)")
        case .finishing:
            step("finishing", "comparing both sides for the last time; Ctrl-C interrupts")
        }
    }

    func report(_ rules: ClusterRules.Installation) {
        if isJSON {
            object([("event", .string("rules")), ("digest", .string(rules.digest))])
        } else {
            progress.clear()
            Terminal.standardError.print("rules \(rules.digest) are installed")
        }
    }

    /// Prints the checked sides of a migration that is not done.
    func print(_ plan: MigrationPlan) {
        let target = plan.options.targetName
        if isJSON {
            object([
                ("event", .string("checked")), ("source", .string(plan.sourceName)),
                ("target", .string(target)),
            ])
        } else {
            StandardOutput.shared.print("source: \(plan.sourceName)")
            StandardOutput.shared.print("target: \(target)")
            StandardOutput.shared.print("nothing was copied")
        }
    }

    /// Prints the hashes of both sides, and what to change in the apps.
    func printResult(_ hashes: LocationHashes, _ plan: MigrationPlan) {
        let hints = MigrationHints(servers: plan.servers, database: plan.database)
        if isJSON {
            printObjects(hashes, hints, plan)
            return
        }
        for row in hashes.rows {
            StandardOutput.shared.print(
                "\(location(of: row, plan))  \(counted(row.source.count, "value"))  "
                    + "source \(row.source.text)  target \(row.target.text)")
        }
        StandardOutput.shared.print("both sides are equal; change these lines in the apps:")
        for (client, line) in hints.lines {
            let padding = String(repeating: " ", count: max(1, 14 - client.count))
            StandardOutput.shared.print("  \(client)\(padding)\(line)")
        }
    }

    private func printObjects(
        _ hashes: LocationHashes, _ hints: MigrationHints, _ plan: MigrationPlan
    ) {
        for row in hashes.rows {
            object([
                ("event", .string("hash")), ("location", .string(location(of: row, plan))),
                ("values", .integer(Int64(row.source.count))),
                ("source", .string(row.source.text)), ("target", .string(row.target.text)),
            ])
        }
        let lines = hints.lines.map { ($0.client, Value.string($0.line)) }
        object([("event", .string("done")), ("clients", .object(named: lines))])
    }

    private func location(of row: LocationHashes.Row, _ plan: MigrationPlan) -> String {
        let base = plan.options.path
        return row.key.map { base.appending($0).description } ?? "\(base) (other children)"
    }

    private func step(_ name: String, _ text: String, _ counts: (String, Int)...) {
        if isJSON {
            object(
                [("event", .string(name))] + counts.map { ($0.0, .integer(Int64($0.1))) })
            return
        }
        progress.clear()
        Terminal.standardError.print(text)
        progress = Progress(of: nil, name == "following" ? "changes" : "values")
    }

    private func object(_ members: [(String, Value)]) {
        StandardOutput.shared.print(JSONWriter.text(of: .object(named: members)))
        StandardOutput.shared.flush()
    }
}
