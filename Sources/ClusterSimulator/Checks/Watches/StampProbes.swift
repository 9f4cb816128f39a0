import DataTree
import ReplicaCore
import SyncProtocol

// Writes to copies of replicas, with stamps at the limits between accepted and refused ones.

extension RequestProbes {
    /// Sends a copy of a replica a write whose stamp is just acceptable, just too old or just too new.
    mutating func probeStamps(
        of node: Int, _ replica: Replica, at moment: Moment, in run: inout SimulatedRun
    ) {
        let state = replica.checkpoint
        let newest = max(state.time.milliseconds, moment.wallMilliseconds)
        var times = [
            (state.stableTime, false), (HybridTime(milliseconds: newest + 10_001), false),
            (HybridTime(milliseconds: newest + 10_000), true),
        ]
        if let closed = run.record.recording.closedTimestamp(announcedBy: node) {
            times += [(closed, false), (min(closed, state.stableTime.successor), false)]
        }
        let (time, isTaken) = times[random.index(below: times.count)]
        if time == .zero { return }
        let stamp = Stamp(time: time, writer: WriterID(bits: random.next() | 1))
        var copy = replica
        let answer = copy.answers(
            to: .put(id: 1, path: StampProbe.place, value: .integer(1), stamp: stamp),
            by: .administrator(name: nil), at: moment
        ).last
        guard let answer,
            let problem = StampProbe(
                replica, stamp, isTaken: isTaken, changesMembers: run.scenario.changesMembers
            ).problem(with: answer)
        else { return }
        failure =
            "\(node.nodeName) at \(run.now.description), whose stable time is \(state.stableTime.milliseconds), asked for a "
            + "write with the stamp \(stamp), \(problem)"
    }

    /// Repeats a client's write, even a forgotten one: the copy does not execute it again, and does not answer that it was never
    /// executed.
    mutating func probeRepetition(
        of node: Int, _ replica: Replica, at moment: Moment, in run: inout SimulatedRun
    ) {
        let known = run.record.recording.issued.filter {
            $0.operation.stamp.writer != $0.dot.origin && $0.operation.term == nil
                && replica.vector.covers($0.dot)
        }
        if known.isEmpty { return }
        let operation = known[random.index(below: known.count)].operation
        var copy = replica
        let again = ClientMessage.merge(
            id: 1, path: .root, writes: operation.writes, stamp: operation.stamp)
        let answer = copy.answers(to: again, by: .administrator(name: nil), at: moment).last
        count += 1
        let problem: String
        switch answer {
        case .ok? where copy.value != replica.value: problem = "do it again"
        case .error(_, .late, _, _)?: problem = "say that nobody has done it"
        default: return
        }
        failure =
            "\(node.nodeName) at \(run.now.description), asked again for its write with the stamp \(operation.stamp), would "
            + problem
    }
}

/// The right answers of a replica to a write with an unused stamp.
private struct StampProbe {
    static let place = Path([Key(unchecked: "probed")])

    let isTaken: Bool
    private let changesMembers: Bool
    /// Whether it is certain that no node has executed it, or will.
    let isDecided: Bool

    /// - Parameter changesMembers: Whether members are left out at times, whose return counts as that of an evicted one.
    init(_ replica: Replica, _ stamp: Stamp, isTaken: Bool, changesMembers: Bool) {
        (self.isTaken, self.changesMembers) = (isTaken, changesMembers)
        let isReplaying = replica.evictions.contains { $0.stage == .out || $0.stage == .back }
        isDecided =
            stamp.time <= replica.stableTime && !isReplaying && !changesMembers
            && replica.checkpoint.stamps.answer(for: stamp) == .notDone
    }

    func problem(with answer: NodeMessage) -> String? {
        switch answer {
        case .ok where !isTaken: "does it"
        case .error(_, .late, _, _) where isTaken: "refuses it for good"
        case .error(_, .undecided, _, _) where isTaken: "refuses it"
        case .error(_, .late, _, _) where !isDecided && !changesMembers:
            "says that nobody can have done it"
        case .error(_, .undecided, _, _) where isDecided: "does not know whether it is done"
        default: nil
        }
    }
}
