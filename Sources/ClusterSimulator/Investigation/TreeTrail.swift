import Convergence
import DataTree
import ReplicaCore
import SyncProtocol

/// Follows the value that nodes show at one location, beside the value that their operations give, and the stamps that
/// they remember there.
struct TreeTrail {
    private struct State {
        var vector = VersionVector()
        var shown = Value.null
        var registers: [RegisterPath.Entry] = []
        /// Whether it shows something else than its operations give.
        var differs = false
    }

    private let focus: FailureFocus
    private let path: Path
    private var states: [Int: State] = [:]

    /// Nil for a failure without a location.
    init?(_ focus: FailureFocus) {
        guard let path = focus.path else { return nil }
        (self.focus, self.path) = (focus, path)
    }

    /// An event was executed.
    mutating func observe(in run: SimulatedRun, into steps: inout [CourseStep]) {
        for node in focus.nodes {
            guard let standing = run.nodes[node].standing,
                standing.vector != states[node, default: State()].vector,
                let replica = run.nodes[node].replica
            else { continue }
            let before = states[node, default: State()]
            var state = State(vector: replica.vector, shown: replica.value[path])
            state.registers =
                RegisterPath(to: path, through: replica.checkpoint.registers).entries
            state.differs = before.differs
            compare(&state, before, at: node, replica.stableTime, in: run, into: &steps)
            states[node] = state
        }
    }

    private func compare(
        _ state: inout State, _ before: State, at node: Int, _ stableTime: HybridTime,
        in run: SimulatedRun, into steps: inout [CourseStep]
    ) {
        let name = node.nodeName
        let oracle = run.watches.first(of: ExecutionWatch.self)?.oracles[node]
        let expected = oracle.flatMap { $0.turnCount > 0 ? $0.expected[path] : nil }
        let differs = expected.map { $0 != state.shown } ?? false
        if state.shown != before.shown || differs != before.differs {
            var text = "\(name) shows \(state.shown.summary) at \(path)"
            if let expected, differs { text += "; its operations give \(expected.summary)" }
            let isFirst = differs && !before.differs && focus.kind == .tree
            steps.append(
                CourseStep(
                    text, isFirst ? .decisive : focus.kind == .tree ? .stage : .detail, at: [name],
                    in: run, isDeviation: isFirst))
            if isFirst {
                steps.append(CourseStep(memory(of: before, at: name), .decisive, in: run))
            }
        }
        state.differs = differs
        for followed in focus.operations {
            let isNew =
                state.vector.covers(followed.dot) && !before.vector.covers(followed.dot)
            guard isNew, forgets(followed, state, stableTime) else { continue }
            steps.append(
                CourseStep(
                    "\(name) remembers no stamp as new as that of \(followed.dot) at \(path) or above it, so an older write "
                        + "may still change the value", .decisive, at: [name], in: run,
                    isDeviation: focus.kind == .tree))
        }
    }

    /// The stamps that a node remembered before it applied the operation that went wrong.
    private func memory(of state: State, at name: String) -> String {
        if state.registers.isEmpty {
            return "before this event, \(name) remembered no write at \(path) or above it"
        }
        let entries = state.registers.map { entry in
            let dot = focus.operations.first { $0.operation.stamp == entry.stamp }?.dot
            return "\(entry.name) at \(entry.location) with stamp \(entry.stamp)"
                + (dot.map { " (\($0))" } ?? "")
        }
        return "before this event, \(name) remembered: " + entries.joined(separator: ", ")
    }

    /// Whether a node that has just applied the newest write of a location does not remember it.
    private func forgets(
        _ followed: FailureFocus.Followed, _ state: State, _ stableTime: HybridTime
    ) -> Bool {
        let stamp = followed.operation.stamp
        let isNewest = focus.operations.allSatisfy {
            $0.operation.stamp <= stamp || !state.vector.covers($0.dot)
        }
        let coversPath = followed.operation.writes.contains { $0.path.contains(path) }
        let newest = state.registers.map(\.stamp).max() ?? .none
        return isNewest && coversPath && stableTime < stamp.time && newest < stamp
    }
}

extension Stamp {
    fileprivate static func <= (first: Stamp, second: Stamp) -> Bool { !(second < first) }
}
