import ReplicaCore
import SyncProtocol

/// Observes a further run with the same seed, and writes down the steps that explain a failure.
///
/// It follows the operations of the focus from the requests to the listeners, and marks the first step that a correct run would not
/// take.
struct FailureCourse {
    /// How long after the failure shows further steps still explain it.
    private static let aftermath: Microseconds = .milliseconds(500)
    /// How long before the first other step faults still explain it.
    private static let faultReach: Microseconds = .seconds(2)

    let focus: FailureFocus
    private var connections: ConnectionTrail
    private var requests: RequestTrail
    private var operations: OperationTrail
    private var tree: TreeTrail?
    private var listeners: ListenerTrail?
    private var disk: DiskTrail?
    private var faults: FaultTrail
    private var clues: FindingClues
    private var steps: [CourseStep] = []
    private var faultSteps: [CourseStep] = []

    /// Prepares a run, which then is executed event by event.
    init(_ focus: FailureFocus, in run: inout SimulatedRun) {
        self.focus = focus
        run.record.performed = []
        run.queue.scheduled = []
        DivergenceWatch.prepare(&run)
        connections = ConnectionTrail(focus)
        requests = RequestTrail(focus)
        operations = OperationTrail(focus, in: run)
        tree = TreeTrail(focus)
        listeners = ListenerTrail(focus)
        disk = DiskTrail(focus)
        faults = FaultTrail(in: run)
        clues = FindingClues(nodes: run.nodes.map(\.name))
    }

    /// An event was executed.
    mutating func observe(_ event: Event, in run: inout SimulatedRun) {
        let scheduled = run.queue.scheduled ?? []
        run.queue.scheduled?.removeAll(keepingCapacity: true)
        clues.observe(event, in: run)
        faults.observe(event, in: run, into: &faultSteps)
        connections.observe(event, in: run, into: &steps)
        requests.observe(event, in: run, into: &steps)
        operations.observe(event, scheduled: scheduled, in: run, into: &steps)
        tree?.observe(in: run, into: &steps)
        listeners?.observe(event, in: run, into: &steps)
        disk?.observe(event, in: run, into: &steps)
    }

    /// The run is over; returns the steps in order, and the facts that tell causes apart.
    mutating func finish(_ run: SimulatedRun) -> (steps: [CourseStep], clues: FindingClues) {
        connections.finish(in: run, into: &steps)
        requests.finish(in: run, into: &steps)
        operations.finish(in: run, into: &steps)
        listeners?.finish(into: &steps)
        clues.finish(run)
        var selected = (steps.filter(isInTime) + weightedFaults).selected
        for index in selected.indices {
            selected[index].text = run.record.names.applied(to: selected[index].text)
        }
        return (selected, clues)
    }

    /// The end of what explains the failure.
    private var end: Microseconds {
        let marked = steps.filter(\.isDeviation).map(\.time).min()
        if focus.kind == .listener { return marked.map { $0 + FailureCourse.aftermath } ?? .max }
        guard let time = focus.time else { return .max }
        return max(time, marked ?? time) + FailureCourse.aftermath
    }

    private func isInTime(_ step: CourseStep) -> Bool {
        if step.weight == .decisive { return true }
        return focus.start <= step.time
            && step.time <= (step.weight == .detail ? min(end, focus.time ?? end) : end)
    }

    /// The faults that may explain something; those of nodes that no other step names explain less.
    private var weightedFaults: [CourseStep] {
        let lanes = Set(steps.filter { $0.weight > .detail }.flatMap(\.lanes))
        return faultSteps.filter(explains).map { step in
            let words = step.text.split { " :|<->".contains($0) }.map(String.init)
            let nodes = words.filter { $0.first == "n" && Int($0.dropFirst()) != nil }
            var weighted = step
            if !nodes.isEmpty, !nodes.contains(where: lanes.contains) { weighted.weight = .detail }
            return weighted
        }
    }

    /// Whether a fault may explain something: it comes neither long before the first other step, nor after the last one or after
    /// the failure shows.
    private func explains(_ step: CourseStep) -> Bool {
        if let time = focus.time, step.time > time { return false }
        let others = steps.filter { $0.weight > .detail && isInTime($0) }.map(\.time)
        guard let first = others.min(), let last = others.max() else { return isInTime(step) }
        let marked = steps.filter(\.isDeviation).map(\.time).min() ?? last
        return step.time + FailureCourse.faultReach >= first && step.time <= min(marked, last)
    }
}
