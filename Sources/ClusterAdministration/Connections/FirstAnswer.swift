package import CommandLineKit

extension [CommandError] {
    /// The most useful of several nodes' refusals: a missing or wrong credential, otherwise the first one.
    package var mostInformative: CommandError? { first { $0.status == .denied } ?? first }
}

extension Array {
    /// The result of the first node, or address of one, that does not refuse.
    ///
    /// - Throws: If all refuse, the most informative refusal.
    package func firstAnswer<Result>(
        _ ask: (Element) throws(CommandError) -> Result
    ) throws(CommandError) -> Result {
        var refusals: [CommandError] = []
        for node in self {
            do throws(CommandError) { return try ask(node) } catch { refusals.append(error) }
        }
        throw refusals.mostInformative
            ?? CommandError(.unavailable, "no node is named", fix: "name one with --node")
    }
}
