public import DataTree
import JSONText
import ReplicaCore
import Store
import SyncProtocol

extension RecordedRun {
    /// The record in the form of a report's page.
    ///
    /// - Parameters:
    /// - trees: The final trees of the nodes, in their order.
    /// - results: The findings of the checks.
    ///   - command: The command that runs the same faults again.
    public func record(
        trees: [Value], _ results: [CheckResult], seed: UInt64, repeatedBy command: String
    ) -> ReportRecord {
        let timeline = timeline
        var writer = RecordedRunWriter(names: names, clientCount: scenario.clients.count)
        writer.write(timeline, trees: trees)
        let failed = results.filter { $0.verdict == .invalid }
        var course = RecordedCourse(self, failed)
        let steps = course.steps(of: timeline) { writer.number(at: $0) }.map(writer.shown)
        let findings = failed.compactMap { writer.finding(of: $0) }
        var sentences = ["All \(results.count) checks of this run hold."]
        if let first = failed.first {
            sentences = ["The check \(first.check.name) fails: \(first.details)"]
            sentences += findings.prefix(1).map {
                "It first shows at \($0.time.description)\(writer.lastFault(before: $0.time))."
            }
            sentences += steps.filter(\.isDeviation).map {
                "The first wrong step is at \($0.time.description): \($0.text)."
            }
        }
        let kind =
            failed.isEmpty
            ? nil : FailureKind(failed.map(\.check), failure: nil, hasConverged: true)
        let head = RecordHead(
            title: "soak of \(names.count) nodes", seed: seed, command: command,
            kind: kind?.rawValue, sentences: sentences.map { writer.names.applied(to: $0) },
            checks: results.map { $0.naming(writer.names) })
        let members =
            head.members
            + [
                "\"treesAreComputed\":true",
                "\"findings\":[\(findings.map { $0.json(in: writer.columns) }.joined(separator: ","))]",
                "\"steps\":[\(steps.map { $0.json(in: writer.columns) }.joined(separator: ","))]",
            ] + writer.columns.members
        return ReportRecord(json: "{\(members.joined(separator: ","))}")
    }

    /// All that happened in the order of time.
    private var timeline: [RecordedMoment] {
        var moments: [RecordedMoment] = []
        for incarnation in incarnations {
            for record in incarnation.records {
                moments.append(
                    RecordedMoment(
                        time: record.microseconds, .node(incarnation.node, record.event)))
            }
        }
        for (node, time) in crashes { moments.append(RecordedMoment(time: time, .killed(node))) }
        for loss in losses {
            moments.append(RecordedMoment(time: loss.until, .lostDisk(loss.node)))
        }
        for operation in operations {
            moments.append(RecordedMoment(time: operation.invoked, .asks(operation)))
            if let completed = operation.completed {
                moments.append(RecordedMoment(time: completed, .isAnswered(operation)))
            }
        }
        // Sorting keeps the order of equal times only with the positions.
        return moments.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
    }
}

/// Something that happened in a run of real nodes.
struct RecordedMoment {
    enum Kind {
        case node(Int, NodeRecord.Event)
        case killed(Int)
        case lostDisk(Int)
        case asks(RecordedOperation)
        case isAnswered(RecordedOperation)
    }

    let time: UInt64
    let kind: Kind

    init(time: UInt64, _ kind: Kind) { (self.time, self.kind) = (time, kind) }
}

/// Writes the moments of a run of real nodes into the columns of a record.
private struct RecordedRunWriter {
    /// The trees of runs with more operations are not computed.
    private static let operationLimit = 6_000

    private(set) var columns: RecordColumns
    private(set) var names = WriterNames()
    private let nodeCount: Int
    private var start: UInt64 = 0
    private var number: UInt64 = 0
    private var origins: [WriterID: Int] = [:]
    private var vectors: [VersionVector]
    private var stableTimes: [UInt64]
    private var oracles: [EveryTurnOracle]
    private var shown: [Value]
    private var archive = BatchArchive()
    private var operationCount = 0
    /// By origin and first sequence: the event in which the origin stored the batch, and its node.
    private var stored: [Dot: (event: Int, node: Int)] = [:]
    private var faults: [(time: Microseconds, text: String)] = []
    /// By client: the last event in which it sent something.
    private var asked: [Int: Int] = [:]

    init(names: [String], clientCount: Int) {
        nodeCount = names.count
        columns = RecordColumns(lanes: names + (0..<clientCount).map(\.clientName))
        vectors = names.map { _ in VersionVector() }
        stableTimes = names.map { _ in 0 }
        oracles = names.indices.map { EveryTurnOracle(isOn: true, node: $0) }
        shown = names.map { _ in .null }
    }

    mutating func write(_ timeline: [RecordedMoment], trees: [Value]) {
        start = timeline.first?.time ?? 0
        for moment in timeline { write(moment) }
        writeOperations()
        for (node, tree) in trees.enumerated() where tree != shown[node] && areTreesComputed {
            columns.addDifference(changes(from: shown[node], to: tree), of: node, at: last)
        }
    }

    /// The finding of a check, with its time in the record.
    func finding(of result: CheckResult) -> RunFinding? {
        if let moment = result.moment {
            return RunFinding(
                event: 0, time: moment.time - min(moment.time, start),
                text: names.applied(to: result.details), nodes: [moment.node])
        }
        return result.subject.map { subject in
            RunFinding(
                event: 0, time: subject.invoked - min(subject.invoked, start),
                text: names.applied(to: result.details), clients: [subject.client])
        }
    }

    /// The number of the last event up to a time of the run.
    func number(at time: UInt64) -> UInt64 {
        UInt64(columns.event(atTime: time - min(time, start))) + 1
    }

    /// A step as the page shows it: its time counts from the beginning, and writers have names.
    func shown(_ step: CourseStep) -> CourseStep {
        var step = step
        step.time -= min(step.time, start)
        step.text = names.applied(to: step.text)
        return step
    }

    func lastFault(before time: Microseconds) -> String {
        guard let fault = faults.last(where: { $0.time <= time }) else { return "" }
        return ", \((time - fault.time).description) after the fault “\(fault.text)”"
    }

    // MARK: Moments

    private var last: Int { max(0, columns.lastEvent) }
    private var areTreesComputed: Bool {
        operationCount <= RecordedRunWriter.operationLimit
    }

    private mutating func add(
        _ kind: String, at time: UInt64, lane: Int?, from source: Int? = nil, says: [String] = [],
        does: [String] = []
    ) {
        number += 1
        columns.addEvent(
            number, at: time - start, kind: kind, lane: lane, from: source,
            says: says.map(names.applied), does: does.map(names.applied))
    }

    private mutating func write(_ moment: RecordedMoment) {
        let time = moment.time
        switch moment.kind {
        case .node(let node, let event): write(event, of: node, at: time)
        case .killed(let node): addFault("kill \(columns.lanes[node])", of: node, at: time)
        case .lostDisk(let node): addFault("wipe \(columns.lanes[node])", of: node, at: time)
        case .asks(let operation):
            add("asks", at: time, lane: nodeCount + operation.client, says: [operation.summary])
            asked[operation.client] = columns.lastEvent
        case .isAnswered(let operation):
            add(
                "is answered", at: time, lane: nodeCount + operation.client,
                says: ["\(operation.summary): \(operation.outcome.summary)"])
        }
    }

    private mutating func addFault(_ text: String, of node: Int, at time: UInt64) {
        add("fault", at: time, lane: node, says: [text])
        columns.addState("down", of: node, at: columns.lastEvent)
        faults.append((time - start, text))
    }

    private mutating func write(_ event: NodeRecord.Event, of node: Int, at time: UInt64) {
        switch event {
        case .started(let writer, let vector):
            names.add(writer, node: node)
            add("starts", at: time, lane: node, does: ["holds \(vector.line)"])
            columns.addState("up", of: node, at: columns.lastEvent)
            hold(vector, at: node)
        case .turned(_, let vector, let stableTime, _):
            hold(vector, at: node)
            guard stableTime.milliseconds != stableTimes[node] else { return }
            stableTimes[node] = stableTime.milliseconds
            columns.addStableTime(stableTimes[node], of: node, at: last)
        case .stored(let batches): store(batches, at: node, time)
        case .serving: add("serves", at: time, lane: node)
        case .durable, .published: break
        case .served(_, let frame, _, _):
            add("serves a request", at: time, lane: node, says: FrameText.client(frame))
        }
    }

    private mutating func store(_ batches: [[UInt8]], at node: Int, _ time: UInt64) {
        let entries = batches.compactMap { try? LogEntry($0) }
        for entry in entries { archive.record(entry) }
        add(
            "stores", at: time, lane: node,
            does: entries.map { "stores \(BatchText($0.bytes))" })
        for entry in entries {
            let dot = Dot(origin: entry.origin, sequence: entry.first)
            if let source = stored[dot], source.node != node {
                let message = columns.addMessage(
                    "published", sentAt: source.event, from: source.node, to: node, .onItsWay)
                columns.receive(message: message, at: columns.lastEvent)
            } else if stored[dot] == nil {
                stored[dot] = (columns.lastEvent, node)
                operationCount += Int(entry.last - entry.first) + 1
            }
        }
        guard areTreesComputed else { return }
        oracles[node].add(entries)
        show(at: node)
    }

    private mutating func hold(_ vector: VersionVector, at node: Int) {
        let before = vectors[node]
        vectors[node] = vector
        for (origin, sequence) in vector.entries where before[origin] != sequence {
            columns.addHolding(of: node, origin: self.origin(origin), upTo: sequence, at: last)
        }
        let lost = before.entries.filter { vector[$0.origin] < $0.sequence }
        for (origin, _) in lost where vector[origin] == 0 {
            columns.addHolding(of: node, origin: self.origin(origin), upTo: 0, at: last)
        }
        guard !lost.isEmpty, areTreesComputed else { return }
        oracles[node] = EveryTurnOracle(isOn: true, node: node)
        oracles[node].add(archive.batches(in: vector))
        show(at: node)
    }

    private mutating func show(at node: Int) {
        let changes = changes(from: shown[node], to: oracles[node].expected)
        if changes.isEmpty { return }
        columns.addTree(changes, of: node, at: last)
        shown[node] = oracles[node].expected
    }

    private func changes(from old: Value, to new: Value) -> [Change] {
        var changes: [Change] = []
        Change.append(from: old, to: new, at: .root, into: &changes)
        return changes
    }

    private mutating func origin(_ origin: WriterID) -> Int {
        if let number = origins[origin] { return number }
        let number = columns.addOrigin(names.applied(to: origin.description))
        origins[origin] = number
        return number
    }

    private mutating func writeOperations() {
        for (dot, operation) in archive.operations.suffix(RecordColumns.operationLimit) {
            columns.addOperation(
                origin: origin(dot.origin), sequence: dot.sequence,
                stamp: names.applied(to: operation.stamp.description),
                milliseconds: operation.stamp.time.milliseconds,
                writes: operation.writes.map { ($0.path, $0.value.summary) })
        }
    }
}

extension RecordedOperation {
    fileprivate var summary: String {
        switch work {
        case .push(let list, let key, let value): "push \(list)/\(key) \(value.summary)"
        case .increment(let counter, let delta): "increment \(counter) by \(delta)"
        case .write(let path, let writes):
            "write \(path): \(writes.map { "\($0.path) \($0.value.summary)" }.joined(separator: ", "))"
        case .get(let path): "get \(path)"
        }
    }
}

extension RecordedOperation.Outcome {
    fileprivate var summary: String {
        switch self {
        case .acknowledged(let value, _): value.map { "read \($0.summary)" } ?? "acknowledged"
        case .failed: "failed"
        case .unknown: "unknown"
        }
    }
}
