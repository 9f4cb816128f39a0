import DataTree
import QueryEngine
import Testing

@testable import ClientCore

/// A sync tree and a server with messages on their way in both directions, moved by random numbers.
struct SyncWorld {
    /// A listen as it was asked for once; what arrives for one that was stopped is dropped.
    private struct Asked {
        let number: Int
        let listen: ServerListen
    }

    private enum Request {
        case start(Asked)
        case stop(Int)
        case write(WriteID, [(path: Path, value: Value)])
    }

    private enum Answer {
        case tell(Asked, [(path: Path, value: Value)])
        case acknowledge(WriteID)
        case revert(WriteID)
    }

    private var random: SeededNumbers
    private var tree = SyncTree()
    private var listeners: [(id: ListenID, listener: NaiveListener)] = []
    private var nextListen: UInt64 = 0

    private var truth = Value.null
    /// The listens that the server knows.
    private var serving: [Asked] = []
    private var requests: [Request] = []
    private var answers: [Answer] = []

    private var book = ListenBook()
    /// The listens that the client has asked for and not stopped.
    private var asked: [Asked] = []
    private var nextNumber = 0
    /// What the naive client knows: what the server told of each listen, and its unanswered writes.
    private var told: [(asked: Asked, value: Value)] = []
    private var waiting: [(id: WriteID, writes: [(path: Path, value: Value)])] = []

    private let places = ["", "a", "a/b", "a/c", "d"].map(path)

    init(seed: UInt64) { random = SeededNumbers(seed: seed) }

    /// Takes random steps, then lets all messages arrive and compares listeners with the truth.
    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            try step()
            try checkAgainstNaive()
        }
        while !requests.isEmpty || !answers.isEmpty {
            if !requests.isEmpty { serve() }
            while !answers.isEmpty { try receive() }
        }
        for (_, listener) in listeners {
            try listener.checkFinal(truth[listener.path])
        }
    }

    private mutating func step() throws {
        switch random.below(12) {
        case 0: try listen()
        case 1: try unlisten()
        case 2, 3: try write()
        case 4, 5, 6: if !requests.isEmpty { serve() }
        case 7: change(randomWrites())
        default: if !answers.isEmpty { try receive() }
        }
    }
}

// MARK: - The client

extension SyncWorld {
    private mutating func listen() throws {
        let id = ListenID(number: nextListen)
        nextListen += 1
        let path = places[random.below(places.count)]
        let query = try random.query()
        listeners.append((id, NaiveListener(path: path, query: query)))
        try take(tree.listen(id, at: path, to: query))
    }

    private mutating func unlisten() throws {
        guard !listeners.isEmpty else { return }
        let (id, _) = listeners.remove(at: random.below(listeners.count))
        try take(tree.unlisten(id))
    }

    private mutating func write() throws {
        let writes = randomWrites()
        let (id, outputs) =
            writes.count == 1
            ? tree.set(writes[0].value, at: writes[0].path) : tree.update(.root, with: writes)
        waiting.append((id, writes))
        requests.append(.write(id, writes))
        try take(outputs)
    }

    private mutating func receive() throws {
        switch answers.removeFirst() {
        case .acknowledge(let id):
            waiting.removeAll { $0.id == id }
            try take(tree.acknowledge(id))
        case .revert(let id):
            waiting.removeAll { $0.id == id }
            try take(tree.revert(id))
        case .tell(let source, let writes):
            guard asked.contains(where: { $0.number == source.number }) else { return }
            if let place = told.firstIndex(where: { $0.asked.number == source.number }) {
                told[place].value.take(writes)
            } else {
                told.append((source, writes[0].value))
            }
            try take(tree.receive(writes, for: source.listen))
        }
    }

    private mutating func take(_ outputs: [SyncOutput]) throws {
        for output in outputs {
            try book.take(output)
            switch output {
            case .start(let listen):
                asked.append(Asked(number: nextNumber, listen: listen))
                requests.append(.start(asked[asked.count - 1]))
                nextNumber += 1
            case .stop(let listen):
                let place = asked.firstIndex { $0.listen.isSame(listen) }
                let number = asked.remove(at: try #require(place)).number
                requests.append(.stop(number))
                told.removeAll { $0.asked.number == number }
            case .observed(let events):
                for place in listeners.indices where events.listens.contains(listeners[place].id) {
                    try listeners[place].listener.take(events.events)
                }
            }
        }
    }

    /// Where everything is known, a listener sees what the server told with the unanswered writes
    /// over it, at any moment.
    private func checkAgainstNaive() throws {
        for (_, listener) in listeners {
            guard
                let known = told.first(where: {
                    let listen = $0.asked.listen
                    return !listen.query.isFiltered && listen.path.contains(listener.path)
                })
            else { continue }
            var all = Value.null
            all.set(known.value, at: known.asked.listen.path)
            for write in waiting { all.take(write.writes) }
            try listener.checkFinal(all[listener.path])
        }
    }
}

extension ServerListen {
    fileprivate func isSame(_ other: ServerListen) -> Bool {
        path == other.path && query == other.query && tag == other.tag
    }
}

// MARK: - The server

extension SyncWorld {
    private mutating func serve() {
        switch requests.removeFirst() {
        case .start(let asked):
            serving.append(asked)
            let value = NaiveListener.shown(truth[asked.listen.path], by: asked.listen.query)
            answers.append(.tell(asked, [(.root, value)]))
        case .stop(let number): serving.removeAll { $0.number == number }
        case .write(let id, let writes):
            if random.below(4) == 0 { return answers.append(.revert(id)) }
            change(writes)
            answers.append(.acknowledge(id))
        }
    }

    /// Changes the truth and tells all listens exactly what differs for them.
    private mutating func change(_ writes: [(path: Path, value: Value)]) {
        let old = truth
        truth.take(writes)
        for asked in serving {
            let listen = asked.listen
            var changes: [Change] = []
            Change.append(
                from: NaiveListener.shown(old[listen.path], by: listen.query),
                to: NaiveListener.shown(truth[listen.path], by: listen.query), at: .root,
                into: &changes)
            if changes.isEmpty { continue }
            answers.append(.tell(asked, changes.map { ($0.path, $0.new) }))
        }
    }

    private mutating func randomWrites() -> [(path: Path, value: Value)] {
        let count = random.below(3) == 0 ? 2 + random.below(2) : 1
        var writes: [(path: Path, value: Value)] = []
        for _ in 0..<count {
            let write = random.write()
            let isNested = writes.contains {
                $0.path.contains(write.path) || write.path.contains($0.path)
            }
            if !isNested { writes.append(write) }
        }
        return writes
    }
}

extension Value {
    /// Takes writes together: what fills first, priorities last.
    fileprivate mutating func take(_ writes: [(path: Path, value: Value)]) {
        for rank in 0...2 {
            for (path, value) in writes {
                let own = path.last == .priority ? 2 : value.isNull ? 1 : 0
                if own == rank { set(value, at: path) }
            }
        }
    }
}
