internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import HTTPText
internal import JSONText
internal import Sockets
internal import SyncProtocol

extension ClusterRulesVerbs {
    private static let json = Option(
        flag: "json", "One JSON object a line, with the text of the rules as source.")

    static let history = Verb(
        "history",
        "Lists the latest rules that arrived at a node, newest first: their digest, time, "
            + "accepting node and size. `hearth rules set --from DIGEST` installs them again.",
        options: NodeClient.options + [json],
        examples: ["hearth rules history", "hearth rules history --node n2 --json"]
    ) { invocation throws(CommandError) in
        for record in try ClusterRules(for: invocation).history() {
            StandardOutput.shared.print(
                invocation.has(json) ? line(json: record) : line(of: record))
        }
        return .success
    }

    private static func line(of record: RulesHistoryReport.Record) -> String {
        let seconds = min(max(0, Int64(record.acceptedMilliseconds) / 1_000), 253_402_300_799)
        return "\(record.digest)  \(HTTPDate(unixSeconds: seconds).text)  \(record.node)  "
            + counted(record.source.utf8.count, "byte") + (record.isCurrent ? "  in force" : "")
    }

    private static func line(json record: RulesHistoryReport.Record) -> String {
        JSONWriter.text(
            of: .object(named: [
                ("digest", .string(record.digest)), ("previous", .string(record.previous)),
                ("acceptedMilliseconds", .integer(Int64(record.acceptedMilliseconds))),
                ("node", .string(record.node)), ("isCurrent", .boolean(record.isCurrent)),
                ("source", .string(record.source)),
            ]))
    }
}

extension ClusterRules {
    /// The last rules that have arrived at the first node that answers, the newest first.
    func history() throws(CommandError) -> [RulesHistoryReport.Record] {
        try servers.firstAnswer { server throws(CommandError) in
            try probe.rulesHistory(at: server, within: limit)
        }
    }

    /// The text of the rules whose digest begins so.
    func document(from digest: String) throws(CommandError) -> String {
        let records = try history()
        let texts = records.filter { !digest.isEmpty && $0.digest.hasPrefix(digest) }.map(\.source)
        guard let text = texts.first, texts.allSatisfy({ $0 == text }) else {
            throw CommandError(
                .badData,
                texts.isEmpty
                    ? "\(database.subject) has had no rules with the digest \(digest)"
                    : "the digests of several rules begin with \(digest)",
                fix: "name one that `hearth rules history` lists")
        }
        return text
    }
}
