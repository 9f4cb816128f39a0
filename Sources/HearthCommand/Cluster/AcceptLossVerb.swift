internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit

/// `hearth accept-loss`: has a stopped node serve without the nodes that it waits for.
enum AcceptLossVerb {
    private static let node = Argument("NODE", "The stopped node, such as n1.", values: .node)
    private static let yes = Option(
        flag: "yes",
        "Accept it without a confirmation. Without this, the command asks at a terminal.")

    static let verb = Verb(
        "accept-loss",
        "Has a stopped node serve that waits for others, because its disk was emptied, restored or is old. "
            + "Acknowledged writes and transactions that only the missing nodes have are not there "
            + "until these return, and two transactions may then have replaced the same value. Use it if the "
            + "missing nodes do not return; if a majority runs, evict them instead.",
        arguments: [node], options: [yes, NodeOptions.folder, NodeOptions.configuration],
        examples: [
            "hearth accept-loss n1",
            "hearth accept-loss n1 --config /etc/hearth/cluster.json5 --yes",
        ]
    ) { invocation throws(CommandError) in
        let id = invocation[node]
        let folder = try NodeOptions.stoppedNode(id, for: invocation).folder
        guard try isConfirmed(id, invocation) else {
            Terminal.standardError.print("nothing is changed")
            return .success
        }
        do throws(NodeError) {
            let names = try LossAcceptance.record(inFolder: folder)
            guard !names.isEmpty else {
                throw NodeError(
                    problem:
                        "\(id) waits for no node: no database in \(folder) lacks data that it had",
                    fix: "start \(id) first, if its folder is empty, and read its log")
            }
            StandardOutput.shared.print(
                "\(id) serves without the missing nodes from its next start on: "
                    + names.map(\.text).joined(separator: ", "))
        } catch {
            throw CommandError(.badData, error.problem, fix: error.fix)
        }
        return .success
    }

    private static func isConfirmed(
        _ id: String, _ invocation: Invocation
    ) throws(CommandError) -> Bool {
        if invocation.has(yes) { return true }
        let question = "\(id) will serve without what only the missing nodes have."
        return try Confirmation(question).ask(
            toType: id,
            otherwise: CommandError(
                .usage,
                "hearth accept-loss has \(id) serve without what only the missing nodes have",
                fix: "add --yes to accept it without a question"))
    }
}
