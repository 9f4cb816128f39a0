import DataTree
import SyncProtocol

// Whether clients that wait until all earlier writes have arrived are answered too early.

extension SimulatedRun {
    /// A client was answered that all writes made before it asked have arrived at its node.
    ///
    /// Left out are writes with stamps beyond the node's clock at that time, whose origins had clocks that were ahead.
    mutating func judgeStability(since: Microseconds, _ number: Int) {
        if sdkClients[number].mirror.hasLagged(since: since) {
            sdkClients[number].tally.note(
                .stableAnswersHold,
                "asked at \(since.description), was told at \(now.description) that all earlier writes have arrived, before what "
                    + "was held back from it")
        }
        guard recording.isOn, !scenario.mayReplay, !scenario.setsClocks,
            let connection = sdkClients[number].connection,
            connections[connection].incarnation == nodes[connections[connection].node].incarnation,
            let vector = nodes[connections[connection].node].standing?.vector
        else { return }
        let node = connections[connection].node
        let wallMilliseconds = nodes[node].clock.moment(at: since).wallMilliseconds
        sdkClients[number].tally.count(.stableAnswersHold)
        let missing = recording.issued.first {
            $0.time < since && !vector.covers($0.dot)
                && $0.operation.stamp.time.milliseconds <= wallMilliseconds
        }
        guard let missing else { return }
        sdkClients[number].tally.note(
            .stableAnswersHold,
            "asked at \(since.description), was told at \(now.description) that all earlier writes have arrived, and "
                + "\(nodes[node].name) lacks \(missing.line)")
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
