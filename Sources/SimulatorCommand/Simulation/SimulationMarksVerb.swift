internal import CommandLineKit
internal import Marks

/// `hearth sim marks`.
enum SimulationMarksVerb {
    static let verb = Verb(
        "marks",
        "Names the rare paths that runs may reach, and says whether this program counts them.",
        examples: ["hearth sim marks"]
    ) { (invocation) throws(CommandError) in
        for mark in Mark.allCases { StandardOutput.shared.print(mark.name) }
        StandardOutput.shared.print(
            MarkCounts.isOn
                ? "they are counted" : "they are not counted: \(SimulationMarksVerb.fix)")
        return .success
    }

    /// How to get a program that counts them.
    static let fix =
        "build such a hearth with `HEARTH_MARKS=1 swift build -c release --product hearth "
        + "--scratch-path .build/marks`"

    /// Refuses what needs marks where they are not counted.
    static func requireMarks(for option: String) throws(CommandError) {
        guard !MarkCounts.isOn else { return }
        throw CommandError(
            .unavailable, "--\(option): this hearth counts no marks, so that nodes are not slower",
            fix: fix)
    }
}
