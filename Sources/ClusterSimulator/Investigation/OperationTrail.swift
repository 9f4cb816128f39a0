import ReplicaCore
import Store
import SyncProtocol

/// Follows operations from node to node: made, durable, published, requested, received, applied, lost.
struct OperationTrail {
    /// An operation at a node.
    private struct Holding: Hashable {
        var node: Int
        var dot: Dot
    }

    /// How long a node may keep an operation before it applies it.
    private static let usualWait: Microseconds = .milliseconds(50)

    private let focus: FailureFocus
    /// The nodes whose copies are followed.
    private let nodes: Set<Int>
    private let dots: [Dot]
    private var held: Set<Holding> = []
    private var everHeld: Set<Holding> = []
    private var durable: Set<Holding> = []
    /// The step of an operation that arrived and was not applied at once; it is shown if that lasts.
    private var waiting: [Holding: CourseStep] = [:]
    /// The step in which a node without the operation learnt of it.
    private var announced: [Holding: CourseStep] = [:]
    private var requested: [Holding: Int] = [:]

    init(_ focus: FailureFocus, in run: SimulatedRun) {
        self.focus = focus
        dots = focus.operations.map(\.dot)
        nodes = Set(
            focus.kind == .request || focus.nodes.isEmpty ? Array(run.nodes.indices) : focus.nodes)
    }

    /// An event was executed.
    mutating func observe(
        _ event: Event, scheduled: [Event], in run: SimulatedRun, into steps: inout [CourseStep]
    ) {
        if dots.isEmpty { return }
        switch event {
        case .published(let frame), .answered(let frame): receive(frame, in: run, into: &steps)
        default: break
        }
        for node in run.nodes { compare(node, in: run, into: &steps) }
        for (node, output) in run.record.performed ?? [] {
            follow(output, of: node, scheduled, in: run, into: &steps)
        }
        checkAcknowledgement(in: run, into: &steps)
    }

    // MARK: States

    private mutating func compare(
        _ node: VirtualNode, in run: SimulatedRun, into steps: inout [CourseStep]
    ) {
        for followed in focus.operations {
            let holding = Holding(node: node.index, dot: followed.dot)
            compareDisk(of: node, holding, in: run, into: &steps)
            guard let vector = node.standing?.vector else { continue }
            let isHeld = vector.covers(followed.dot)
            guard isHeld != held.contains(holding) else { continue }
            if isHeld {
                held.insert(holding)
                apply(followed, holding, in: run, into: &steps)
            } else {
                held.remove(holding)
                steps.append(
                    CourseStep(
                        "\(node.name) no longer has \(followed.dot)", .decisive, at: [node.name],
                        in: run, isDeviation: focus.kind == .request))
            }
        }
    }

    private mutating func apply(
        _ followed: FailureFocus.Followed, _ holding: Holding, in run: SimulatedRun,
        into steps: inout [CourseStep]
    ) {
        let (dot, name) = (followed.dot, holding.node.nodeName)
        let isFirst = !everHeld.contains { $0.dot == dot }
        let isKnown = everHeld.contains(holding)
        defer { everHeld.insert(holding) }
        if let step = waiting.removeValue(forKey: holding),
            run.now - step.time > OperationTrail.usualWait
        {
            steps.append(step)
        }
        guard isFirst || nodes.contains(holding.node) else { return }
        guard isFirst else {
            return steps.append(
                CourseStep(
                    "\(name) applies \(dot)\(isKnown ? " again" : "")", .stage, at: [name], in: run)
            )
        }
        let what = "\(followed.operation.writes.summary), stamp \(followed.operation.stamp)"
        let error: String? =
            switch focus.kind {
            case .request: error(in: followed, at: holding.node)
            case .conflict: conflict(of: followed)
            default: nil
            }
        steps.append(
            CourseStep(
                "\(name) makes \(dot) of it\(error.map { ", " + $0 } ?? ""): \(what)",
                error == nil ? .stage : .decisive, at: [name], in: run, isDeviation: error != nil))
    }

    /// The error of a node that makes an operation: the request has one already, or an earlier one has a newer stamp.
    private func error(in followed: FailureFocus.Followed, at node: Int) -> String? {
        let earlier = focus.operations.filter { other in
            everHeld.contains { $0.dot == other.dot }
        }
        if let first = earlier.first(where: { $0.request == followed.request }) {
            return "a second operation beside \(first.dot)"
        }
        let newer = earlier.first { other in
            followed.operation.stamp < other.operation.stamp
                && held.contains(Holding(node: node, dot: other.dot))
        }
        return newer.map { "with an older stamp than \($0.dot), which it holds" }
    }

    /// What the reads missed on which an operation rests; nil if it is none that a check found wrong.
    private func conflict(of followed: FailureFocus.Followed) -> String? {
        guard followed.request == focus.subject else { return nil }
        let missed = focus.operations.filter { $0.request != focus.subject }
        let names = missed.map(\.dot.description).joined(separator: ", ")
        return "from reads that missed \(names.isEmpty ? "other writes" : names)"
    }

    private mutating func compareDisk(
        of node: VirtualNode, _ holding: Holding, in run: SimulatedRun,
        into steps: inout [CourseStep]
    ) {
        guard node.disk.durable.covers(holding.dot), durable.insert(holding).inserted,
            focus.kind == .request, nodes.contains(holding.node)
        else { return }
        steps.append(
            CourseStep(
                "\(holding.dot) is on the disk of \(node.name)", .detail, at: [node.name], in: run))
    }

    /// Marks an acknowledgement that its client receives before the operation is on the disk of its node.
    private mutating func checkAcknowledgement(
        in run: SimulatedRun, into steps: inout [CourseStep]
    ) {
        guard focus.kind == .request, run.scenario.cluster.durability == .commit else { return }
        for operation in run.record.history.operations.suffix(200)
        where focus.requests.contains(operation.operationName) && operation.completed == run.now {
            guard operation.outcome == .acknowledged, !operation.isRead, let node = operation.node,
                !dots.contains(where: { durable.contains(Holding(node: node, dot: $0)) })
            else { continue }
            steps.append(
                CourseStep(
                    "the answer says that the write is done, before it is on the disk of "
                        + node.nodeName, .decisive, at: [node.nodeName], in: run, isDeviation: true)
            )
        }
    }

    // MARK: Frames

    private mutating func receive(
        _ frame: PeerFrame, in run: SimulatedRun, into steps: inout [CourseStep]
    ) {
        let (from, to) = (frame.from.nodeName, frame.to.nodeName)
        guard nodes.contains(frame.to), run.nodes[frame.to].state == .running else { return }
        for message in PeerMessage.all(in: frame.bytes) {
            for dot in dots {
                let holding = Holding(node: frame.to, dot: dot)
                guard !held.contains(holding) else { continue }
                if message.contains(dot), waiting[holding] == nil {
                    waiting[holding] = CourseStep(
                        "\(to) receives \(dot) from \(from), and does not apply it at once", .stage,
                        at: [to, from], in: run)
                }
                if case .heartbeat(let heartbeat) = message, heartbeat.vector.covers(dot),
                    announced[holding] == nil, waiting[holding] == nil
                {
                    let step = CourseStep(
                        "\(to) learns from a heartbeat of \(from) that \(dot) exists, and lacks it",
                        .stage, at: [to, from], in: run)
                    announced[holding] = step
                    steps.append(step)
                }
                if case .compacted(let origin, let through) = message, origin == dot.origin,
                    through >= dot.sequence
                {
                    steps.append(
                        CourseStep(
                            "\(from) answers \(to) that it has \(dot) only in its checkpoint",
                            .stage, at: [to, from], in: run))
                }
            }
        }
    }

    private mutating func follow(
        _ output: Output, of node: Int, _ scheduled: [Event], in run: SimulatedRun,
        into steps: inout [CourseStep]
    ) {
        switch output {
        case .publish(let bytes, _):
            let messages = PeerMessage.all(in: bytes)
            for dot in dots where messages.contains(where: { $0.contains(dot) }) {
                publish(dot, by: node, scheduled, in: run, into: &steps)
            }
        case .ask(let member, let bytes):
            let messages = PeerMessage.all(in: bytes)
            for dot in dots where messages.contains(where: { $0.requests(dot) }) {
                request(dot, by: node, of: member, scheduled, in: run, into: &steps)
            }
        default: break
        }
    }

    private func publish(
        _ dot: Dot, by node: Int, _ scheduled: [Event], in run: SimulatedRun,
        into steps: inout [CourseStep]
    ) {
        let peers = run.nodes.indices.filter { $0 != node && nodes.contains($0) }
        let lost = peers.filter { peer in
            !scheduled.contains {
                guard case .published(let frame) = $0, frame.to == peer else { return false }
                return PeerMessage.all(in: frame.bytes).contains { $0.contains(dot) }
            }
        }
        let losses = lost.map { "\($0.nodeName) (\(run.reasonOfLoss(from: node, to: $0)))" }
        let rest =
            losses.isEmpty
            ? "" : ", which is lost on the way to \(losses.joined(separator: " and "))"
        steps.append(
            CourseStep(
                "\(node.nodeName) publishes \(dot)\(rest)", losses.isEmpty ? .detail : .decisive,
                at: [node.nodeName], in: run))
    }

    private mutating func request(
        _ dot: Dot, by node: Int, of member: String, _ scheduled: [Event], in run: SimulatedRun,
        into steps: inout [CourseStep]
    ) {
        let holding = Holding(node: node, dot: dot)
        requested[holding, default: 0] += 1
        guard nodes.contains(node), requested[holding]! <= 2 else { return }
        let isLost = !scheduled.contains { if case .asked = $0 { true } else { false } }
        steps.append(
            CourseStep(
                "\(node.nodeName) requests \(dot) from \(member)\(isLost ? ", which is lost" : "")",
                .stage, at: [node.nodeName, member], in: run))
    }

    // MARK: The end

    /// The run is over.
    mutating func finish(in run: SimulatedRun, into steps: inout [CourseStep]) {
        for dot in dots {
            for node in run.nodes
            where node.belongs && !held.contains(Holding(node: node.index, dot: dot)) {
                finish(Holding(node: node.index, dot: dot), in: run, into: &steps)
            }
        }
    }

    private mutating func finish(
        _ holding: Holding, in run: SimulatedRun, into steps: inout [CourseStep]
    ) {
        guard nodes.contains(holding.node), everHeld.contains(where: { $0.dot == holding.dot }),
            !everHeld.contains(holding)
        else { return }
        let (name, dot) = (holding.node.nodeName, holding.dot)
        let isMissing = focus.kind == .missing
        if var step = waiting[holding] {
            step.text = "\(name) receives \(dot), and never applies it"
            (step.weight, step.isDeviation) = (.decisive, isMissing)
            return steps.append(step)
        }
        let count = requested[holding] ?? 0
        if count == 0, let step = announced[holding],
            let index = steps.firstIndex(where: { $0.event == step.event && $0.text == step.text })
        {
            steps[index].text += ", and never requests it"
            (steps[index].weight, steps[index].isDeviation) = (.decisive, isMissing)
        }
        let requests = count == 0 ? "" : ", although it requested it \(count) times"
        steps.append(
            CourseStep("\(name) has not got \(dot)\(requests)", .decisive, at: [name], in: run))
    }
}

extension PeerMessage {
    /// Whether it carries an operation.
    fileprivate func contains(_ dot: Dot) -> Bool {
        let batches: [[UInt8]] =
            switch self {
            case .batch(let bytes): [bytes]
            case .batches(_, let batches): batches
            default: []
            }
        return batches.contains { bytes in
            guard let entry = try? LogEntry(bytes) else { return false }
            return entry.origin == dot.origin && entry.first...entry.last ~= dot.sequence
        }
    }

    /// Whether it requests an operation.
    fileprivate func requests(_ dot: Dot) -> Bool {
        guard case .requestBatches(_, let origin, let from, let through) = self else {
            return false
        }
        return origin == dot.origin && from <= dot.sequence && dot.sequence <= through
    }
}

extension SimulatedRun {
    /// The reason why a frame that was just published does not arrive.
    fileprivate func reasonOfLoss(from: Int, to: Int) -> String {
        if nodes[to].state == .down { return "it is down" }
        return network.isOpen(from, to) ? "the network drops it" : "the link is cut"
    }
}
