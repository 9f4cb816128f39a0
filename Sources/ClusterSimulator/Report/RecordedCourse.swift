import ReplicaCore
import SyncProtocol

/// The steps of real nodes and clients that led to a failed check.
///
/// It follows the requests that the check names, or the first operation that some node lacks in the end.
struct RecordedCourse {
    private let nodes: [String]
    private let requests: [ClientOperation]
    private let dots: [Dot]
    /// By node: the operations that it holds, and those that are on its disk.
    private var held: [VersionVector]
    private var durable: [VersionVector]
    private var steps: [CourseStep] = []

    init(_ run: RecordedRun, _ failed: [CheckResult]) {
        let replay = run.replay
        let operations = run.servedOperations(replay)
        let result = failed.first { $0.subject != nil }
        let named = Set((result?.compared ?? []) + [result?.subject].compactMap(\.self))
        if named.isEmpty {
            let missing = failed.isEmpty ? nil : RecordedCourse.missing(in: replay.recording)
            requests = operations.filter { $0.made.contains { $0 == missing } }
            dots = [missing].compactMap(\.self)
        } else {
            requests = operations.filter { named.contains($0.operationName) }
            dots = Set(requests.flatMap(\.made)).sorted {
                ($0.origin, $0.sequence) < ($1.origin, $1.sequence)
            }
        }
        nodes = run.names
        held = nodes.map { _ in VersionVector() }
        durable = held
    }

    /// The first operation that some node holds in the end and another one lacks.
    private static func missing(in recording: Recording) -> Dot? {
        let vectors = recording.states.compactMap { $0.last?.vector }
        var most = VersionVector()
        for vector in vectors { most.raise(to: vector) }
        for (origin, sequence) in most.entries {
            let least = vectors.map { $0[origin] }.min() ?? sequence
            if least < sequence { return Dot(origin: origin, sequence: least + 1) }
        }
        return nil
    }

    /// The steps in the order of time, each with the number of its event.
    ///
    /// - Parameter number: The number of the last event up to a time.
    mutating func steps(
        of timeline: [RecordedMoment], numbered number: (UInt64) -> UInt64
    ) -> [CourseStep] {
        for moment in timeline { observe(moment) }
        for request in requests { addServings(of: request) }
        for (node, vector) in held.enumerated() {
            for dot in dots where !vector.covers(dot) {
                add(
                    "\(nodes[node]) lacks \(dot) in the end", .decisive,
                    at: timeline.last?.time ?? 0)
            }
        }
        let times = steps.filter { $0.weight > .detail }.map(\.time)
        guard let first = times.min(), let last = times.max() else { return [] }
        steps.removeAll { !(first...last).contains($0.time) }
        for index in steps.indices { steps[index].event = number(steps[index].time) }
        return steps.sorted { $0.time < $1.time }.selected
    }

    private mutating func add(
        _ text: String, _ weight: CourseStep.Weight, at time: Microseconds,
        isDeviation: Bool = false
    ) {
        steps.append(CourseStep(text, weight, event: 0, time: time, isDeviation: isDeviation))
    }

    private func followed(_ operation: RecordedOperation) -> ClientOperation? {
        requests.first { $0.client == operation.client && $0.invoked == operation.invoked }
    }

    private mutating func observe(_ moment: RecordedMoment) {
        let time = moment.time
        switch moment.kind {
        case .asks(let operation):
            guard let request = followed(operation) else { return }
            add("\(request.client.clientName) issues: \(request.request)", .stage, at: time)
        case .isAnswered(let operation):
            guard let request = followed(operation) else { return }
            let name = request.client.clientName
            add(
                "\(name) receives the answer to “\(request.request)”: \(request.outcome)", .stage,
                at: time)
        case .killed(let node): add("fault: kill \(nodes[node])", .detail, at: time)
        case .lostDisk(let node):
            add("fault: wipe \(nodes[node])", .detail, at: time)
            durable[node] = VersionVector()
        case .node(let node, let event): observe(event, of: node, at: time)
        }
    }

    private mutating func observe(_ event: NodeRecord.Event, of node: Int, at time: UInt64) {
        let name = nodes[node]
        switch event {
        case .started(_, let vector):
            for dot in dots where held[node].covers(dot) && !vector.covers(dot) {
                let isWrong = durable[node].covers(dot)
                let reason = isWrong ? "although it was on its disk" : "which was not on its disk"
                add(
                    "\(name) starts again without \(dot), \(reason)", .decisive, at: time,
                    isDeviation: isWrong)
            }
            (held[node], durable[node]) = (vector, vector)
        case .turned(_, let vector, _, _):
            for dot in dots where vector.covers(dot) != held[node].covers(dot) {
                let isLost = held[node].covers(dot)
                add(
                    isLost ? "\(name) no longer holds \(dot)" : "\(name) applies \(dot)",
                    isLost ? .decisive : .stage, at: time, isDeviation: isLost)
            }
            held[node] = vector
        case .durable(let vector):
            for dot in dots where vector.covers(dot) && !durable[node].covers(dot) {
                add("\(dot) is on the disk of \(name)", .detail, at: time)
            }
            durable[node].raise(to: vector)
        default: break
        }
    }

    /// Adds each execution of a request by a node, and marks one without what an earlier request has shown or written.
    private mutating func addServings(of request: ClientOperation) {
        for serving in request.servings {
            var text =
                "\(nodes[serving.node]) executes “\(request.request)” of \(request.client.clientName)"
            if let dot = serving.dot { text += " as \(dot)" }
            let earlier = requests.last { other in
                guard other.client == request.client, other.session == request.session,
                    let completed = other.completed, completed <= request.invoked,
                    let known = other.acknowledged
                else { return false }
                return !serving.vector.covers(other.isRead ? known.vector : known.written)
            }
            if let earlier {
                text +=
                    ", and lacks what it had \(earlier.isRead ? "read" : "written") by “\(earlier.request)”"
            }
            add(
                text, earlier == nil ? .stage : .decisive, at: serving.time,
                isDeviation: earlier != nil)
        }
    }
}

extension ClientOperation {
    /// The operations that nodes made of it.
    fileprivate var made: [Dot] { servings.compactMap(\.dot) }
}
