import DataTree
import SyncProtocol

// Whether clients that wait until all earlier writes have arrived are answered too early.

extension SDKClient {
    /// A client was answered that all writes made before it asked have arrived at its node.
    ///
    /// Left out are writes with stamps beyond the node's clock at that time, whose origins had clocks that were ahead.
    mutating func judgeStability(since: Microseconds, in run: inout SimulatedRun) {
        if mirror.hasLagged(since: since) {
            tally.report(
                .stableAnswersHold,
                "asked at \(since.description), was told at \(run.now.description) that all earlier writes have arrived, before what "
                    + "was held back from it")
        }
        guard run.record.recording.isOn, !run.scenario.mayReplay, !run.scenario.setsClocks,
            let connection = self.connection,
            run.connections[connection].incarnation
                == run.nodes[run.connections[connection].node].incarnation,
            let vector = run.nodes[run.connections[connection].node].standing?.vector
        else { return }
        let node = run.connections[connection].node
        let wallMilliseconds = run.nodes[node].clock.moment(at: since).wallMilliseconds
        tally.count(.stableAnswersHold)
        let missing = run.record.recording.issued.first {
            $0.time < since && !vector.covers($0.dot)
                && $0.operation.stamp.time.milliseconds <= wallMilliseconds
        }
        guard let missing else { return }
        tally.report(
            .stableAnswersHold,
            "asked at \(since.description), was told at \(run.now.description) that all earlier writes have arrived, and "
                + "\(run.nodes[node].name) lacks \(missing.line)")
    }
}

extension Scenario {
    /// Whether clocks are set, or stand still.
    var setsClocks: Bool {
        script.contains { scripted in
            guard case .fault(let fault) = scripted.action else { return false }
            return fault is ClockFault || fault is Sleep
        }
    }
}
