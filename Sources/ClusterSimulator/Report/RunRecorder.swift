import Convergence
import DataTree
import ReplicaCore
import Store
import SyncProtocol

/// Records a run for its report, event by event.
struct RunRecorder {
    /// Counts for the plots are added after so many events.
    private static let sampleInterval: UInt64 = 128

    private(set) var columns: RecordColumns
    private var messages = RecordedMessages()
    private var trees: RecordedTrees
    private var states: [VirtualNode.State]
    private var links: [Bool]
    /// By line of the scenario's script: the event in which it was executed.
    private(set) var scripted: [Int: Int] = [:]

    /// The numbers of events that are recorded in any case.
    private let kept: Set<UInt64>

    /// Prepares a run, which then is executed event by event.
    init(_ run: inout SimulatedRun, keeping kept: Set<UInt64>) {
        self.kept = kept
        run.record.performed = []
        run.queue.scheduled = []
        let count = run.nodes.count
        let clients = (0..<run.scenario.clients.total).map(\.clientName)
        columns = RecordColumns(lanes: run.nodes.map(\.name) + clients)
        trees = RecordedTrees(run)
        states = run.nodes.map { _ in .running }
        links = Array(repeating: true, count: count * count)
    }

    /// An event was executed.
    mutating func observe(_ event: Event, in run: inout SimulatedRun) {
        let scheduled = run.queue.scheduled ?? []
        run.queue.scheduled?.removeAll(keepingCapacity: true)
        let traced = TracedEvent(event, in: run)
        let before = columns.nextEvent
        messages.observe(event, scheduled: scheduled, in: run, into: &columns)
        if kept.contains(traced.number) || isWorthRecording(event, traced, scheduled) {
            columns.addEvent(
                traced.number, at: traced.time, kind: traced.kind,
                lane: traced.subject.flatMap(lane), from: traced.source.flatMap(lane),
                says: traced.says, does: traced.does)
        }
        if case .scripted(let index) = event { scripted[index] = before }
        observeStates(run)
        trees.observe(&run, into: &columns)
        if traced.number.isMultiple(of: RunRecorder.sampleInterval) { addSample(run) }
    }

    /// The run is over.
    mutating func finish(_ run: SimulatedRun) {
        addSample(run)
        addOperations(run)
    }

    /// Whether an event says or does something, or sends a message.
    private func isWorthRecording(
        _ event: Event, _ traced: TracedEvent, _ scheduled: [Event]
    ) -> Bool {
        switch event {
        case .turn, .tick, .diskWorked, .clientTurns, .clientActs, .clientRecalls,
            .quiescenceChecked, .duplicateTurns:
            !traced.does.isEmpty || scheduled.contains(where: \.isMessage)
        default: true
        }
    }

    private func lane(_ name: String) -> Int? { columns.lanes.firstIndex(of: name) }

    private mutating func observeStates(_ run: SimulatedRun) {
        let event = max(0, columns.lastEvent)
        let count = run.nodes.count
        for node in run.nodes where node.state != states[node.index] {
            states[node.index] = node.state
            columns.addState(node.state.recordName, of: node.index, at: event)
        }
        for from in 0..<count {
            for to in 0..<count where from != to {
                let isOpen = run.network.isOpen(from, to)
                guard isOpen != links[from * count + to] else { continue }
                links[from * count + to] = isOpen
                columns.addLink(from: from, to: to, isOpen: isOpen, at: event)
            }
        }
    }

    private mutating func addSample(_ run: SimulatedRun) {
        var (repaired, registers): (UInt64, UInt64) = (0, 0)
        for node in run.nodes {
            repaired += node.pastCounters.repaired
            guard let replica = node.replica else { continue }
            repaired += replica.counters.repaired
            registers += UInt64(ConvergentTree(replica.checkpoint).registerCount)
        }
        columns.addSample(
            [run.network.counts.sent, run.network.counts.dropped, repaired, registers],
            at: max(0, columns.lastEvent))
    }

    /// Adds all operations that any disk was handed, in the order of their stamps.
    private mutating func addOperations(_ run: SimulatedRun) {
        for (dot, operation) in run.record.archive.operations.suffix(RecordColumns.operationLimit) {
            columns.addOperation(
                origin: trees.number(of: dot.origin, run.record.names, in: &columns),
                sequence: dot.sequence,
                stamp: run.record.names.applied(to: operation.stamp.description),
                milliseconds: operation.stamp.time.milliseconds,
                writes: operation.writes.map { ($0.path, $0.value.summary) })
        }
    }
}

extension RecordColumns {
    /// The most operations of a record, the last ones.
    static let operationLimit = 20_000
}

extension ConvergentTree {
    fileprivate init(_ checkpoint: Checkpoint) {
        self.init(value: checkpoint.value, registers: checkpoint.registers)
    }
}

extension Event {
    /// Whether a frame arrives in it.
    fileprivate var isMessage: Bool {
        switch self {
        case .published, .asked, .answered, .requested, .replied: true
        default: false
        }
    }
}

extension VirtualNode.State {
    fileprivate var recordName: String {
        switch self {
        case .down: "down"
        case .running: "up"
        case .paused: "paused"
        case .stopping: "stopping"
        }
    }
}
