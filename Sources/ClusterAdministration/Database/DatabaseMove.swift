package import CommandLineKit
internal import Glibc
package import SyncProtocol

/// Places a database on nodes of a cluster, and moves it to others.
///
/// It sends the requests of a `PlacementChange`. A command that ends in between can be repeated: it goes on where the other one
/// ended.
package struct DatabaseMove {
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

    /// Creates the database on some nodes alone, and waits until all nodes of the cluster that answer know that.
    ///
    /// - Returns: The nodes that do not answer.
    package func create(on targets: [String]) throws(CommandError) -> [String] {
        let survey = try survey()
        try check(targets, survey)
        var change = change(.created(on: targets), survey)
        let tag = try readEntry(&change)
        if survey.isKnown { throw exists(on: nodes.map(\.id)) }
        return try finish(&change, tag) { _ in }
    }

    /// Moves the database, or goes on with its move, and calls `report` with what the command waits for.
    ///
    /// - Returns: The nodes that do not answer, and do not know the end of the move yet; nil if there was nothing to do.
    package func run(
        to targets: [String], report: (String) -> Void
    ) throws(CommandError) -> [String]? {
        let survey = try survey()
        try check(targets, survey)
        var change = change(.moved(to: targets), survey)
        let tag = try readEntry(&change)
        if change.wasThere { return nil }
        guard survey.isKnown || change.wasPlaced else { throw unknown }
        if change.isCopying { report("goes on with a move that has begun") }
        return try finish(&change, tag, report: report)
    }

    /// Ends a move that has begun: the nodes of before serve the database again.
    ///
    /// - Returns: Those of them that do not answer.
    package func cancel() throws(CommandError) -> [String] {
        var change = change(.cancelled, try survey())
        let tag = try readEntry(&change)
        return try finish(&change, tag) { _ in }
    }

    private func check(_ targets: [String], _ survey: Survey) throws(CommandError) {
        let known = nodes.map(\.id)
        if let unknown = targets.first(where: { !known.contains($0) }) {
            throw CommandError(
                .usage, "the cluster has no node \"\(unknown)\"",
                fix: "name some of \(known.joined(separator: ", "))")
        }
        if let evicted = targets.first(where: survey.knowledge.evicted.contains) {
            throw CommandError(
                .usage, "\(evicted) is evicted", fix: "name other nodes, or start \(evicted) first")
        }
        guard !name.isDefault else {
            throw CommandError(
                .usage, "the default database is on all nodes, for clients that name none",
                fix: "create another database, and use that")
        }
    }

    /// The facts about the database and the cluster before a change.
    private struct Survey {
        let knowledge: DatabaseProbe.Knowledge
        /// Whether the cluster has a database of this name.
        let isKnown: Bool
    }

    /// Asks the first node that answers.
    ///
    /// - Throws: If the database was removed, or the cluster has other nodes than the list of this command. A node that the
    ///   command does not know would lose the database without being asked for its operations.
    private func survey() throws(CommandError) -> Survey {
        let survey = try nodes.firstAnswer { node throws(CommandError) in
            let knowledge = try probe.knowledge(
                of: name, at: node.address, within: Self.answerLimit)
            let names = try probe.names(at: node.address, within: Self.answerLimit)
            return Survey(knowledge: knowledge, isKnown: names.contains(name))
        }
        let (members, own) = (survey.knowledge.members, nodes.map(\.id).sorted())
        guard members.isEmpty || members == own else {
            throw CommandError(
                .badData,
                "the cluster has the nodes \(members.joined(separator: ", ")), and the list of this command is "
                    + own.joined(separator: ", "),
                fix: "use the configuration with which the nodes run (--config)")
        }
        return survey
    }

    /// A change that leaves evicted nodes behind.
    private func change(
        _ goal: PlacementChange.Goal, _ survey: Survey
    ) -> PlacementChange {
        PlacementChange(
            goal, in: nodes.map(\.id), without: survey.knowledge.evicted,
            rivals: survey.knowledge.placements)
    }

    // MARK: Steps

    /// Takes all steps of a change that has read its entry, whose tag is given.
    ///
    /// - Returns: The nodes that do not answer. They follow the catalog once they reach the others.
    private func finish(
        _ change: inout PlacementChange, _ tag: String, report: (String) -> Void
    ) throws(CommandError) -> [String] {
        var (tag, silent) = (tag, [String]())
        let end = ContinuousClock.now + limit * 2
        while let request = change.request, silent.isEmpty {
            switch request {
            case .readEntry:
                tag = try readEntry(&change)
                if change.request != .readEntry { break }
                // The nodes that answer lag behind the placement that this command has written; they announce nothing to it.
                guard ContinuousClock.now < end else { throw outdated }
                usleep(Self.pauseMicroseconds)
            case .replaceEntry(let entry):
                let newTag = try nodes.firstAnswer { node throws(CommandError) in
                    try probe.replace(
                        entryOf: name, by: entry, if: tag, at: node.address,
                        within: Self.answerLimit)
                }
                change.replaceEntry(newTag != nil)
                tag = newTag ?? tag
            case .askNodes(let names):
                if change.isCopying {
                    report(
                        "no node serves \(name) until \(names.joined(separator: ", ")) hold the "
                            + "same operations")
                }
                silent = try askNodes(&change)
            }
        }
        if let conflict = change.conflict { throw refusal(of: conflict) }
        return silent
    }

    /// Has the change read the entry of the catalog, and returns the tag of that.
    private func readEntry(_ change: inout PlacementChange) throws(CommandError) -> String {
        let read = try nodes.firstAnswer { node throws(CommandError) in
            try probe.entry(of: name, at: node.address, within: Self.answerLimit)
        }
        change.readEntry(read.entry)
        if let conflict = change.conflict { throw refusal(of: conflict) }
        return read.tag
    }

    /// Asks nodes until all of them have taken the step that the change waits for.
    ///
    /// - Returns: The nodes that do not answer, if the placement is decided and all others know it.
    private func askNodes(_ change: inout PlacementChange) throws(CommandError) -> [String] {
        let end = ContinuousClock.now + limit
        let isCopying = change.isCopying
        while true {
            var silent: [String] = []
            var problem: CommandError?
            for node in nodes {
                guard case .askNodes(let left)? = change.request else { return [] }
                if !left.contains(node.id) { continue }
                do throws(CommandError) {
                    let known = try probe.knowledge(
                        of: name, at: node.address, within: Self.answerLimit)
                    change.learn(from: node.id, epoch: known.epoch, isCopied: known.isCopied)
                } catch {
                    silent.append(node.id)
                    problem = problem ?? error
                }
            }
            guard case .askNodes(let left)? = change.request else { return [] }
            if !isCopying, left.count == silent.count { return silent }
            guard ContinuousClock.now < end else {
                // The others wait for those that do not answer.
                throw late(silent.isEmpty ? left : silent, isCopying, because: problem)
            }
            // Nodes do not announce this to the command, so it asks again.
            usleep(Self.pauseMicroseconds)
        }
    }

    // MARK: Refusals

    private func refusal(of conflict: PlacementChange.Conflict) -> CommandError {
        switch conflict {
        case .exists(let names): return exists(on: names)
        case .movesElsewhere(let names):
            let list = names.joined(separator: ",")
            return CommandError(
                .badData, "the database \(name) already moves to \(list)",
                fix:
                    "finish that with `hearth database move \(name) --nodes \(list)`, or give it up "
                    + "with --cancel")
        case .doesNotMove:
            return CommandError(
                .badData, "the database \(name) does not move", fix: "there is nothing to cancel")
        case .isOnlyOn(let names):
            return CommandError(
                .unavailable,
                "no other node holds the database \(name) than \(names.joined(separator: ", ")), and none of these "
                    + "takes part in the cluster",
                fix:
                    "start one of them under its name, or give the data up with `hearth database remove \(name)`"
            )
        case .isContested(let one, let other):
            let lists = [one, other].map { $0.joined(separator: ",") }
            return CommandError(
                .badData,
                "the database \(name) was placed twice in the same epoch, on \(lists[0]) and on \(lists[1])",
                fix:
                    "compare the data, and name the nodes whose data hold: --nodes \(lists[0]) or --nodes "
                    + "\(lists[1]); the other ones keep their files aside")
        case .changedMeanwhile:
            return CommandError(
                .unavailable, "another command has placed the database \(name) meanwhile",
                fix: "run the command again")
        }
    }

    private var unknown: CommandError {
        CommandError(
            .badData, "there is no database \(name)",
            fix: "create it with `hearth database create`, or name one that `hearth database list` "
                + "shows")
    }

    private func exists(on names: [String]) -> CommandError {
        CommandError(
            .badData, "the database \(name) exists, on \(names.joined(separator: ", "))",
            fix: "move it with `hearth database move \(name) --nodes …`, or use another name")
    }

    /// The nodes that answer have not learnt of the placement which the command has written.
    private var outdated: CommandError {
        CommandError(
            .unavailable, "the nodes that answer know an older placement of the database \(name)",
            fix: "see `hearth cluster status`, and run the command again once a majority runs")
    }

    private func late(
        _ nodes: [String], _ isCopying: Bool, because problem: CommandError?
    ) -> CommandError {
        let names = nodes.joined(separator: ", ")
        let reason = problem.map { ": \($0.problem)" } ?? " in time"
        let fix = problem == nil ? "see `hearth cluster status`" : "start \(names)"
        let rest =
            isCopying
            ? ", and run the command again; or give up the move with "
                + "`hearth database move \(name) --cancel`; a node that never returns is left behind once it "
                + "is evicted (`hearth cluster evict`)" : ""
        return CommandError(
            problem?.status ?? .unavailable, "\(names) did not take part\(reason)",
            fix: fix + rest)
    }
}
