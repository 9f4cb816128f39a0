package import CommandLineKit
internal import Glibc
package import SyncProtocol

/// Places a database on nodes of a cluster, and moves it to others.
///
/// A move changes the catalog twice. After the first change, no node serves the database, and the nodes of both placements
/// exchange what they lack. After the second one, the new nodes serve it. A command that ends in between can be repeated: it goes
/// on where the other one ended.
package struct DatabaseMove {
    private typealias Entry = DatabaseProbe.Entry

    private static let pauseMicroseconds: UInt32 = 100_000
    /// How long a node may take for an answer.
    private static let answerLimit = Duration.seconds(5)

    private let name: DatabaseName
    private let nodes: [ObservedCluster.Node]
    private let probe: DatabaseProbe
    private let limit: Duration

    /// - Parameter limit: How long the nodes may take for each step.
    package init(
        of name: DatabaseName, in cluster: ObservedCluster, _ probe: DatabaseProbe,
        within limit: Duration
    ) {
        (self.name, nodes, self.probe, self.limit) = (name, cluster.nodes, probe, limit)
    }

    // MARK: Commands

    /// Creates the database on some nodes alone, and waits until all nodes of the cluster know that.
    package func create(on targets: [String]) throws(CommandError) {
        try check(targets)
        let entry = try entry()
        if let placement = entry.placement { throw exists(on: placement.nodes) }
        if try first({ node throws(CommandError) in
            try probe.names(at: node.address, within: Self.answerLimit)
        }).contains(name) {
            throw exists(on: nodes.map(\.id))
        }
        let placement = DatabasePlacement(epoch: DatabasePlacement.firstEpoch, nodes: targets)
        guard try replace(entry, by: placement) else { throw changedMeanwhile }
        try wait(for: nodes) { $0.epoch >= placement.epoch }
    }

    /// Moves the database, or goes on with its move, and calls `report` with what the command waits for.
    ///
    /// - Returns: Whether the database was elsewhere.
    package func run(to targets: [String], report: (String) -> Void) throws(CommandError) -> Bool {
        try check(targets)
        let entry = try entry()
        let from = entry.placement?.nodes ?? nodes.map(\.id).sorted()
        var placement = entry.placement
        if let move = placement?.move {
            guard move.to == targets.sorted() else { throw otherMove(to: move.to) }
            report("goes on with a move that has begun")
        } else {
            if from == targets.sorted() { return false }
            // The epoch of a creation is for databases without any data.
            let epoch = max(entry.placement?.epoch ?? 0, DatabasePlacement.firstEpoch) + 1
            placement = DatabasePlacement(epoch: epoch, movingFrom: from, to: targets)
            guard try replace(entry, by: placement!) else { throw changedMeanwhile }
        }
        try finish(placement!, report: report)
        return true
    }

    /// Ends a move that has begun: the nodes of before serve the database again.
    package func cancel() throws(CommandError) {
        let entry = try entry()
        guard let placement = entry.placement, let move = placement.move else {
            throw CommandError(
                .badData, "the database \(name) does not move", fix: "there is nothing to cancel")
        }
        let next = DatabasePlacement(epoch: placement.epoch + 1, nodes: move.from)
        guard try replace(entry, by: next) else { throw changedMeanwhile }
        try wait(for: nodes.filter { move.from.contains($0.id) }) { $0.epoch >= next.epoch }
    }

    // MARK: Steps

    private func finish(
        _ placement: DatabasePlacement, report: (String) -> Void
    ) throws(CommandError) {
        let holders = nodes.filter { placement.nodes.contains($0.id) }
        report(
            "no node serves \(name) until \(holders.map(\.id).joined(separator: ", ")) hold the same "
                + "operations")
        do throws(CommandError) {
            try wait(for: holders) { $0.epoch == placement.epoch && $0.isCopied }
        } catch {
            throw CommandError(
                error.status, error.problem,
                fix: "\(error.fix), and run the command again; or give up the move with "
                    + "`hearth database move \(name) --cancel`")
        }
        let entry = try entry()
        let next = DatabasePlacement(epoch: placement.epoch + 1, nodes: placement.move?.to ?? [])
        guard entry.placement == placement, try replace(entry, by: next) else {
            throw changedMeanwhile
        }
        try wait(for: nodes) { $0.epoch >= next.epoch }
    }

    private func check(_ targets: [String]) throws(CommandError) {
        let known = nodes.map(\.id)
        if let unknown = targets.first(where: { !known.contains($0) }) {
            throw CommandError(
                .usage, "the cluster has no node \"\(unknown)\"",
                fix: "name some of \(known.joined(separator: ", "))")
        }
        guard !name.isDefault else {
            throw CommandError(
                .usage, "the default database is on all nodes, for clients that name none",
                fix: "create another database, and use that")
        }
    }

    /// Waits until a condition holds for what nodes know.
    private func wait(
        for nodes: [ObservedCluster.Node], until isDone: (DatabaseProbe.Knowledge) -> Bool
    ) throws(CommandError) {
        let end = ContinuousClock.now + limit
        var left = nodes
        while true {
            var problem: CommandError?
            var rest: [ObservedCluster.Node] = []
            for node in left {
                do throws(CommandError) {
                    let knowledge = try probe.knowledge(
                        of: name, at: node.address, within: Self.answerLimit)
                    if !isDone(knowledge) { rest.append(node) }
                } catch {
                    problem = error
                    rest.append(node)
                }
            }
            left = rest
            if left.isEmpty { return }
            guard ContinuousClock.now < end else {
                let names = left.map(\.id).joined(separator: ", ")
                throw problem.map {
                    CommandError(
                        $0.status, "\(names) did not take part: \($0.problem)", fix: $0.fix)
                }
                    ?? CommandError(
                        .unavailable, "\(names) did not take part in time",
                        fix: "see `hearth cluster status`")
            }
            // Nodes do not announce this to the command, so it asks again.
            usleep(Self.pauseMicroseconds)
        }
    }

    // MARK: The catalog

    private func entry() throws(CommandError) -> Entry {
        try first { node throws(CommandError) in
            try probe.entry(of: name, at: node.address, within: Self.answerLimit)
        }
    }

    private func replace(
        _ entry: Entry, by placement: DatabasePlacement
    ) throws(CommandError) -> Bool {
        try first { node throws(CommandError) in
            try probe.replace(
                placementOf: name, by: placement, if: entry.tag, at: node.address,
                within: Self.answerLimit)
        }
    }

    /// The result of the first node that answers.
    private func first<Result>(
        _ ask: (ObservedCluster.Node) throws(CommandError) -> Result
    ) throws(CommandError) -> Result {
        var refusals: [CommandError] = []
        for node in nodes {
            do throws(CommandError) { return try ask(node) } catch { refusals.append(error) }
        }
        throw refusals.mostInformative
            ?? CommandError(.unavailable, "no node answers", fix: "start the cluster")
    }

    // MARK: Refusals

    private func exists(on names: [String]) -> CommandError {
        CommandError(
            .badData, "the database \(name) exists, on \(names.joined(separator: ", "))",
            fix: "move it with `hearth database move \(name) --nodes …`, or use another name")
    }

    private func otherMove(to names: [String]) -> CommandError {
        let list = names.joined(separator: ",")
        return CommandError(
            .badData, "the database \(name) already moves to \(list)",
            fix:
                "finish that with `hearth database move \(name) --nodes \(list)`, or give it up with "
                + "--cancel")
    }

    private var changedMeanwhile: CommandError {
        CommandError(
            .unavailable, "another command has placed the database \(name) meanwhile",
            fix: "run the command again")
    }
}
