internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import JSONText

/// `hearth cluster doctor`: finds what is wrong, and how to fix it.
enum ClusterDoctor {
    static let verb = Verb(
        "doctor",
        "Finds problems of a cluster and explains how to fix them. Observes every node for "
            + "two seconds. Ends with 1 if it found a problem, and with 77 if only administrators "
            + "may see more.",
        options: ObservedCluster.options + [json],
        examples: [
            "hearth cluster doctor",
            "hearth cluster doctor --config configs/three-hosts.json5 --secret app.secret",
        ], work: run)

    private static let json = Option(flag: "json", "Print one JSON object for each finding.")

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let cluster = try ObservedCluster(of: invocation)
        let statuses = cluster.statuses()
        // A problem that is gone a second later, such as lag, is not reported.
        usleep(1_000_000)
        let diagnosis = Diagnosis(of: cluster, statuses, later: cluster.statuses())
        for finding in diagnosis.findings {
            if invocation.has(json) {
                StandardOutput.shared.print(finding.json)
            } else {
                show(finding)
            }
        }
        if diagnosis.findings.isEmpty, !invocation.has(json) {
            StandardOutput.shared.print(
                statuses.count == 1
                    ? "the node is healthy" : "all \(statuses.count) nodes are healthy")
        }
        if diagnosis.findings.isEmpty { return .success }
        let guarded = statuses.filter { $0.state == .unauthorized }.map(\.node.id)
        return diagnosis.findings.allSatisfy { guarded.contains($0.node) } ? .denied : .checkFailed
    }

    private static func show(_ finding: Diagnosis.Finding) {
        let terminal = Terminal.standardOutput
        let severity = terminal.coloured(
            finding.severity.rawValue + ":", finding.severity == .error ? .red : .yellow)
        StandardOutput.shared.print("\(severity) \(finding.node) \(finding.problem)")
        StandardOutput.shared.print("  \(terminal.coloured("fix:", .cyan)) \(finding.fix)")
    }
}

extension Diagnosis.Finding {
    fileprivate var json: String {
        let members = [
            ("severity", severity.rawValue), ("node", node), ("problem", problem), ("fix", fix),
        ]
        let texts = members.map { "\"\($0)\":\(JSONWriter.text(of: .string($1)))" }
        return "{" + texts.joined(separator: ",") + "}"
    }
}
