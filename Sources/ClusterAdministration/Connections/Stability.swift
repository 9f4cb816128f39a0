internal import ClientCore
internal import CommandLineKit
internal import Threads

extension NodeClient {
    /// Returns the first of several connections, each to another node, at whose node all writes before the call are
    /// stable. A partitioned node must not delay the others.
    static func firstStable(
        of links: [NodeLink], within limit: Duration
    ) throws(CommandError) -> NodeLink {
        let milliseconds = UInt64(limit / .milliseconds(1))
        // The node must answer in time to name the nodes that it waits for.
        let millisecondsAtNode = milliseconds - min(1_000, milliseconds / 2)
        let outcomes = Monitor<[Result<Int, HearthError>]>([])
        for (index, link) in links.enumerated() {
            link.connection.send(
                .awaitStable(milliseconds: millisecondsAtNode),
                patience: .limited(milliseconds: milliseconds)
            ) { result in
                outcomes.withLock { $0.append(result.map { _ in index }) }
                outcomes.signal()
            }
        }
        let start = ContinuousClock.now
        var isTold = false
        while true {
            let decision = outcomes.wait(upTo: NodeWait.slice) { $0.decision(of: links.count) }
            if let decision {
                do throws(HearthError) { return links[try decision.get()] } catch {
                    throw CommandError(error)
                }
            }
            if StopRequest.isThere { throw interrupted }
            if !isTold, ContinuousClock.now - start > .milliseconds(1_500) {
                isTold = true
                let nodes = links.map(\.allNames).joined(separator: ", ")
                Terminal.standardError.print(
                    "waiting until all earlier writes of all nodes have arrived at one of \(nodes), "
                        + "for \(NodeWait.text(of: limit)) at most (--timeout)")
            }
        }
    }

    private static var interrupted: CommandError {
        CommandError(
            .interrupted, "interrupted before all earlier writes had arrived",
            fix:
                "run it again later; `hearth cluster status` shows which node is missing"
        )
    }
}

extension [Result<Int, HearthError>] {
    /// The first success, or once all have failed the most informative failure; nil before.
    fileprivate func decision(of count: Int) -> Result<Int, HearthError>? {
        func isSuccess(_ result: Element) -> Bool {
            if case .success = result { true } else { false }
        }
        func tellsWhy(_ result: Element) -> Bool {
            if case .failure(let error) = result { error.code == .notStable } else { false }
        }
        if let success = first(where: isSuccess) { return success }
        return self.count == count ? first(where: tellsWhy) ?? first : nil
    }
}
