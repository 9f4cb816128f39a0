import DataTree
import ReplicaCore
import Store
import SyncProtocol

/// The part of a run that a failure is about.
struct FailureFocus {
    enum Kind {
        /// A node shows something else than its operations give.
        case tree
        /// A listener shows something else than its node.
        case listener
        /// The outcome of a request is wrong.
        case request
        /// A write rests on reads that missed other writes.
        case conflict
        /// A node never gets an operation.
        case missing
        /// A node has an operation that is not on its disk.
        case disk
        /// All that is known is the text of a check.
        case other
    }

    struct Followed {
        var dot: Dot
        var operation: Operation
        /// The followed request that it was made of.
        var request: ClientOperation.Name?
    }

    var kind: Kind
    var path: Path?
    /// Counted from 0.
    var nodes: [Int] = []
    var clients: [Int] = []
    var operations: [Followed] = []
    var requests: Set<ClientOperation.Name> = []
    /// The request that a check found wrong.
    var subject: ClientOperation.Name?
    /// The time before which nothing explains the failure.
    var start: Microseconds = 0
    /// The time at which the failure shows; nil if it shows at the end.
    var time: Microseconds?
}

extension FailureFocus {
    /// How many operations at one location are followed.
    private static let operationLimit = 4
    /// The time before a request in which its client may have met the cause of a failure.
    private static let reach: Microseconds = .milliseconds(500)
    /// The time for which the course of an unanswered request is followed.
    private static let patience: Microseconds = .seconds(2)

    /// - Parameter run: A run that is over.
    init(
        _ report: SimulationReport, _ divergences: [Divergence], _ arrivals: Arrivals,
        in run: SimulatedRun
    ) {
        let failed = report.checks.filter { $0.verdict == .invalid }
        self.init(kind: .other)
        if report.failureKind == .liveness, let gap = Gap(in: run) {
            follow(gap, in: run)
        } else if let divergence = divergences.first, report.failureKind != .durability {
            follow(divergence, arrivals, in: run)
        } else if let result = failed.first(where: { $0.subject != nil }),
            let subject = result.subject
        {
            self.subject = subject
            follow([subject] + result.compared, in: run)
            if result.invariant != nil { followConflict(in: run) }
        } else if let open = FailureFocus.open(report, in: run) {
            follow([open], in: run)
        } else if let gap = DiskGap(in: run) {
            kind = .disk
            nodes = [gap.node]
            operations = FailureFocus.operations(in: run) { dot, _ in dot == gap.dot }
            requests = run.requests(of: [gap.dot])
        } else {
            follow(report.failure.map { [$0] } ?? failed.map(\.details), arrivals, in: run)
            if let moment = failed.lazy.compactMap(\.moment).first {
                time = moment.time
                if !nodes.contains(moment.node) { nodes.append(moment.node) }
            }
        }
    }

    /// The first request without an answer, in a run whose nodes stay busy until its end.
    private static func open(
        _ report: SimulationReport, in run: SimulatedRun
    ) -> ClientOperation.Name? {
        guard report.failureKind == .liveness else { return nil }
        return run.record.history.operations.first { $0.outcome == .open }?.operationName
    }

    private mutating func follow(_ gap: Gap, in run: SimulatedRun) {
        kind = .missing
        nodes = [gap.node]
        operations = FailureFocus.operations(in: run) { dot, _ in dot == gap.dot }
        requests = run.requests(of: operations.map(\.dot))
    }

    private mutating func follow(
        _ divergence: Divergence, _ arrivals: Arrivals, in run: SimulatedRun
    ) {
        kind = divergence.clients.isEmpty ? .tree : .listener
        (path, nodes, clients) = (divergence.path, divergence.nodes, divergence.clients)
        time = divergence.time
        follow(operationsAtPath(arrivals, in: run), in: run)
    }

    private mutating func follow(_ names: [ClientOperation.Name], in run: SimulatedRun) {
        kind = .request
        requests = Set(names)
        let concerned = run.record.history.operations.filter {
            names.contains($0.operationName)
        }
        clients = Set(names.map(\.client)).sorted()
        let dots = concerned.flatMap(\.servings).flatMap { run.dots(of: $0) }
        operations = FailureFocus.operations(in: run) { dot, _ in dots.contains(dot) }
        for index in operations.indices {
            operations[index].request =
                concerned.first { operation in
                    operation.servings.contains {
                        run.dots(of: $0).contains(operations[index].dot)
                    }
                }?.operationName
        }
        nodes = run.nodes.filter(\.belongs).map(\.index)
        let first = concerned.map(\.invoked).min() ?? 0
        start = first - min(first, FailureFocus.reach)
        time = concerned.map { $0.completed ?? $0.invoked + FailureFocus.patience }.max()
    }

    /// Follows only the nodes that executed the reads and writes of a conflict.
    private mutating func followConflict(in run: SimulatedRun) {
        kind = .conflict
        let servings = run.record.history.operations.filter { requests.contains($0.operationName) }
            .flatMap(\.servings)
        nodes = Set(servings.map(\.node)).sorted()
    }

    /// Follows the location, nodes and clients that texts name.
    private mutating func follow(
        _ texts: [String], _ arrivals: Arrivals, in run: SimulatedRun
    ) {
        let words = texts.flatMap { $0.split { " ,;:()“”".contains($0) } }.map(String.init)
        nodes = run.nodes.map(\.index).filter { words.contains($0.nodeName) }
        clients = Array(run.clients.indices.filter { words.contains($0.clientName) }.prefix(3))
        path =
            words.lazy.filter { $0.hasPrefix("/") && $0.utf8.count > 1 }
            .compactMap { try? Path($0) }.first
        if nodes.isEmpty { nodes = clients.compactMap { run.clients[$0].lastNode } }
        follow(operationsAtPath(arrivals, in: run), in: run)
    }

    private mutating func follow(_ operations: [Followed], in run: SimulatedRun) {
        self.operations = operations
        requests = run.requests(of: operations.map(\.dot))
    }

    /// The operations at the location that decide what its nodes show: the newest one, and those that arrived last before the
    /// failure shows.
    private func operationsAtPath(_ arrivals: Arrivals, in run: SimulatedRun) -> [Followed] {
        guard let path, let node = nodes.first else { return [] }
        let all = FailureFocus.operations(in: run) { dot, operation in
            operation.touches(path) && nodes.contains { arrivals[dot, $0] != nil }
        }
        let ordered = all.sorted {
            (arrivals[$0.dot, node] ?? .max, $0.dot.sequence)
                < (arrivals[$1.dot, node] ?? .max, $1.dot.sequence)
        }
        // A listener that parts for good misses the last change.
        let end = kind == .listener ? .max : time ?? .max
        let before = ordered.filter { arrivals[$0.dot, node] ?? .max <= end }
        let newest = before.max { $0.operation.stamp < $1.operation.stamp }
        let chosen = before.suffix(3).map(\.dot) + [newest?.dot].compactMap(\.self)
        return Array(all.filter { chosen.contains($0.dot) }.prefix(FailureFocus.operationLimit))
    }

    private static func operations(
        in run: SimulatedRun, where isFollowed: (Dot, Operation) -> Bool
    ) -> [Followed] {
        run.record.archive.operations.filter { isFollowed($0.dot, $0.operation) }
            .map { Followed(dot: $0.dot, operation: $0.operation) }
    }
}

/// An operation that a node lacks in the end, and another one has.
private struct Gap {
    var node: Int
    var dot: Dot

    init?(in run: SimulatedRun) {
        var most = VersionVector()
        for node in run.nodes { most.raise(to: node.replica?.vector ?? VersionVector()) }
        for node in run.nodes where node.belongs {
            guard let vector = node.replica?.vector else { continue }
            for (origin, sequence) in most.entries where vector[origin] < sequence {
                self.node = node.index
                dot = Dot(origin: origin, sequence: vector[origin] + 1)
                return
            }
        }
        return nil
    }
}

/// An operation that a node has in the end, and its next process would not have.
private struct DiskGap {
    var node: Int
    var dot: Dot

    init?(in run: SimulatedRun) {
        for node in run.nodes where node.belongs {
            guard let vector = node.standing?.vector,
                let next = try? node.restarted()?.standing?.vector
            else { continue }
            for (origin, sequence) in vector.entries where next[origin] < sequence {
                self.node = node.index
                dot = Dot(origin: origin, sequence: next[origin] + 1)
                return
            }
        }
        return nil
    }
}

extension SimulatedRun {
    /// The operations that a node made of a request, and the one that another node had made of it.
    fileprivate func dots(of serving: ClientOperation.Serving) -> [Dot] {
        let last = serving.made?.sequence ?? 0
        let origin = serving.made?.origin
        let made = origin.map { origin in
            let first = min(last, serving.before[origin] + 1)
            return (first...last).map { Dot(origin: origin, sequence: $0) }
        }
        return (made ?? []) + [serving.dot].compactMap(\.self)
    }

    /// The requests of clients of which these operations were made.
    fileprivate func requests(of dots: [Dot]) -> Set<ClientOperation.Name> {
        let found = record.history.operations.filter { operation in
            operation.servings.contains { serving in
                [serving.made, serving.dot].contains { $0.map(dots.contains) ?? false }
            }
        }
        return Set(found.map(\.operationName))
    }
}
