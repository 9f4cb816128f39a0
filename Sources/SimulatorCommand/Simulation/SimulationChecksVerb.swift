internal import ClusterSimulator
internal import CommandLineKit

/// `hearth sim checks`.
enum SimulationChecksVerb {
    static let verb = Verb(
        "checks", "Lists the checks that a scenario can claim, with the clients that each needs.",
        options: [page], examples: ["hearth sim checks", "hearth sim checks --page"]
    ) { (invocation) throws(CommandError) in
        for line in invocation.has(page) ? rows : lines { StandardOutput.shared.print(line) }
        return .success
    }

    private static let page = Option(
        flag: "page", "The rows of the table in Simulations/README.md.")

    /// A row for each check: its name, its guarantees and its criterion.
    static var rows: [String] { Check.all.map(\.row) }

    /// A line for each check: its name, its subject and its claim.
    static var lines: [String] {
        let width = Check.all.map(\.name.count).max() ?? 0
        let names = Check.Subject.allCases.map(\.rawValue.count).max() ?? 0
        return Check.all.map { check in
            check.name.padded(to: width) + "  " + check.subject.rawValue.padded(to: names)
                + "  " + check.claim
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
