import DataTree
import JSONText

/// The contents of a report as columns of numbers, which stay small as JSON.
///
/// `Simulations/README.md` does not describe them: the page that reads them is part of the same program.
struct RecordColumns {
    /// The fate of a message.
    enum Fate: Int {
        case lost = -1
        case onItsWay = -2
    }

    /// The most bytes of texts, and of values, that a record holds; a report of some megabytes still opens at once.
    private static let textLimit = 4_000_000
    private static let treeLimit = 6_000_000

    /// The nodes, then the clients.
    let lanes: [String]
    private var texts: [String] = [""]
    private var textNumbers: [String: Int] = ["": 0]
    private var textBytes = 0
    private var kinds: [String] = []
    private var kindNumbers: [String: Int] = [:]
    private var times: [UInt64] = []
    private var numbers: [UInt64] = []
    private var eventKinds: [Int] = []
    private var eventLanes: [Int] = []
    private var sources: [Int] = []
    private var says: [[Int]] = []
    private var does: [[Int]] = []

    private var messages: [(sent: Int, from: Int, to: Int, kind: Int, received: Int)] = []
    private var states: [String] = []
    private var links: [String] = []
    private var trees: [String] = []
    private var differences: [String] = []
    private var treeBytes = 0
    /// Whether trees beyond the limit are missing.
    private(set) var hasAllTrees = true
    private var holdings: [String] = []
    private var stableTimes: [String] = []
    private var samples: [String] = []
    private var origins: [String] = []
    private var operations: [String] = []

    init(lanes: [String]) { self.lanes = lanes }

    /// The number of the last event, counted from 0; -1 before the first.
    var lastEvent: Int { times.count - 1 }
    /// The number that the next event gets.
    var nextEvent: Int { times.count }

    /// Adds an event; returns its number in the record.
    mutating func addEvent(
        _ number: UInt64, at time: UInt64, kind: String, lane: Int?, from source: Int? = nil,
        says: [String] = [], does: [String] = []
    ) {
        numbers.append(number)
        times.append(time)
        eventKinds.append(self.number(ofKind: kind))
        eventLanes.append(lane ?? -1)
        sources.append(source ?? -1)
        self.says.append(says.map { self.number(of: $0) })
        self.does.append(does.map { self.number(of: $0) })
    }

    /// The record's number of the last event up to one of the run.
    func event(upTo number: UInt64) -> Int {
        max(0, numbers[...].split { $0 > number }.after.startIndex - 1)
    }

    /// The record's number of the last event up to a time.
    func event(atTime time: UInt64) -> Int {
        max(0, times[...].split { $0 > time }.after.startIndex - 1)
    }

    /// Adds a message; returns its number.
    mutating func addMessage(
        _ kind: String, sentAt event: Int, from: Int, to: Int, _ fate: Fate
    ) -> Int {
        messages.append((event, from, to, number(ofKind: kind), fate.rawValue))
        return messages.count - 1
    }

    /// Sets the event at which a message arrived.
    mutating func receive(message: Int, at event: Int) { messages[message].received = event }

    /// Adds the state that a node has from an event on: `up`, `paused` or `down`.
    mutating func addState(_ state: String, of node: Int, at event: Int) {
        states.append("[\(event),\(node),\"\(state)\"]")
    }

    /// Adds that frames from one node to another pass from an event on, or that they do not.
    mutating func addLink(from: Int, to: Int, isOpen: Bool, at event: Int) {
        links.append("[\(event),\(from),\(to),\(isOpen ? 1 : 0)]")
    }

    /// Adds the changes of the tree that a node shows.
    mutating func addTree(_ changes: [Change], of node: Int, at event: Int) {
        add(changes, of: node, at: event, to: \.trees)
    }

    /// Adds what a node's operations give where that differs from its tree; nothing once both are equal.
    mutating func addDifference(_ changes: [Change], of node: Int, at event: Int) {
        add(changes, of: node, at: event, to: \.differences)
    }

    private mutating func add(
        _ changes: [Change], of node: Int, at event: Int,
        to list: WritableKeyPath<RecordColumns, [String]>
    ) {
        guard hasAllTrees else { return }
        let pairs = changes.map { "[\(RecordColumns.text($0.path)),\($0.new.recordText)]" }
        let entry = "[\(event),\(node),[\(pairs.joined(separator: ","))]]"
        treeBytes += entry.utf8.count
        guard treeBytes <= RecordColumns.treeLimit else {
            hasAllTrees = false
            return
        }
        self[keyPath: list].append(entry)
    }

    /// Adds how many operations of an origin a node holds from an event on.
    mutating func addHolding(of node: Int, origin: Int, upTo sequence: UInt64, at event: Int) {
        holdings.append("[\(event),\(node),\(origin),\(sequence)]")
    }

    mutating func addStableTime(_ milliseconds: UInt64, of node: Int, at event: Int) {
        stableTimes.append("[\(event),\(node),\(milliseconds)]")
    }

    /// Adds counts for the plots: lost frames, repaired operations, registers, and values of all nodes.
    mutating func addSample(_ counts: [UInt64], at event: Int) {
        let numbers = ([UInt64(event)] + counts).map { String($0) }
        samples.append("[\(numbers.joined(separator: ","))]")
    }

    /// Adds an origin of operations; returns its number.
    mutating func addOrigin(_ name: String) -> Int {
        origins.append(name)
        return origins.count - 1
    }

    /// Adds an operation; those with earlier stamps come before.
    mutating func addOperation(
        origin: Int, sequence: UInt64, stamp: String, milliseconds: UInt64,
        writes: [(path: Path, value: String)]
    ) {
        let writes = writes.map {
            "[\(RecordColumns.text($0.path)),\(RecordColumns.text($0.value))]"
        }
        operations.append(
            "[\(origin),\(sequence),\(RecordColumns.text(stamp)),\(milliseconds),"
                + "[\(writes.joined(separator: ","))]]")
    }

    private mutating func number(ofKind kind: String) -> Int {
        if let number = kindNumbers[kind] { return number }
        kinds.append(kind)
        kindNumbers[kind] = kinds.count - 1
        return kinds.count - 1
    }

    private mutating func number(of text: String) -> Int {
        let short = text.cut(to: 240)
        if let number = textNumbers[short] { return number }
        guard textBytes + short.utf8.count <= RecordColumns.textLimit else { return 0 }
        textBytes += short.utf8.count
        texts.append(short)
        textNumbers[short] = texts.count - 1
        return texts.count - 1
    }
}

// MARK: - As JSON

extension RecordColumns {
    /// The members of the record's object.
    var members: [String] {
        [
            "\"lanes\":\(list(lanes.map(RecordColumns.text)))",
            "\"kinds\":\(list(kinds.map(RecordColumns.text)))",
            "\"texts\":\(list(texts.map(RecordColumns.text)))",
            "\"events\":{"
                + [
                    "\"number\":\(deltas(numbers))", "\"time\":\(deltas(times))",
                    "\"kind\":\(list(eventKinds.map(\.description)))",
                    "\"lane\":\(list(eventLanes.map(\.description)))",
                    "\"from\":\(list(sources.map(\.description)))",
                    "\"says\":\(list(says.map(RecordColumns.texts)))",
                    "\"does\":\(list(does.map(RecordColumns.texts)))",
                ].joined(separator: ",") + "}",
            "\"messages\":"
                + list(
                    messages.map {
                        "[\($0.sent),\($0.from),\($0.to),\($0.kind),\($0.received)]"
                    }),
            "\"states\":\(list(states))", "\"links\":\(list(links))", "\"trees\":\(list(trees))",
            "\"differences\":\(list(differences))", "\"hasAllTrees\":\(hasAllTrees)",
            "\"held\":\(list(holdings))", "\"stable\":\(list(stableTimes))",
            "\"samples\":\(list(samples))",
            "\"origins\":\(list(origins.map(RecordColumns.text)))",
            "\"operations\":\(list(operations))",
        ]
    }

    static func text(_ text: String) -> String { JSONWriter.text(of: .string(text)) }

    static func text(_ path: Path) -> String { text(path.description) }

    /// One text as its number, several as a list.
    private static func texts(_ numbers: [Int]) -> String {
        switch numbers.count {
        case 0: "0"
        case 1: numbers[0].description
        default: "[\(numbers.map(\.description).joined(separator: ","))]"
        }
    }

    private func list(_ elements: [String]) -> String { "[\(elements.joined(separator: ","))]" }

    /// Ascending numbers as their differences.
    private func deltas(_ numbers: [UInt64]) -> String {
        list(numbers.indices.map { "\(numbers[$0] - ($0 > 0 ? numbers[$0 - 1] : 0))" })
    }
}

extension Value {
    /// The value as JSON with priorities.
    fileprivate var recordText: String { JSONWriter.text(of: self, form: .export) }
}
