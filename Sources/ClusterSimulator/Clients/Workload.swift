import ClientCore
import DataTree
import ReplicaCore
import SyncProtocol

/// Draws the requests of clients.
///
/// Pushes go to `/lists/…` and increments to `/counters/…`, where nothing else writes, so that they
/// can be counted; all other writes meet in the small and crowded tree below `/data`.
struct Workload {
    private let kinds: [WorkloadSettings.Kind]
    private let mix: [MixedRequest]
    private let mixWeight: Int
    private let concern: Probability
    private let lists: [Path]
    private let counters: [Path]

    private static let data = Path([Key(unchecked: "data")])
    private static let keys = ["a", "b", "7"].map { Key(unchecked: $0) }

    /// A request before it has an id.
    struct Request {
        var kind: ClientOperation.Kind
        var writes: [Write]
        /// The path of a merge or a get; the writes of a merge lie below it.
        var path = Path.root
        /// The concern of a put or a merge.
        var concern: WriteConcern?
        /// The transfer that the request begins.
        var transfer: (Transfer, Transfer.Way)?
    }

    init(_ settings: WorkloadSettings, _ mix: [MixedRequest] = []) {
        var kinds: [WorkloadSettings.Kind] = []
        for (kind, weight) in zip(WorkloadSettings.Kind.allCases, settings.weights) {
            kinds += [WorkloadSettings.Kind](repeating: kind, count: weight)
        }
        self.kinds = kinds
        self.mix = mix
        mixWeight = mix.reduce(0) { $0 + $1.weight }
        concern = settings.concern
        lists = Workload.paths("lists", settings.lists)
        counters = Workload.paths("counters", settings.counters)
    }

    private static func paths(_ name: String, _ count: Int) -> [Path] {
        (1...count).map { Path([Key(unchecked: name), Key(unchecked: "\(name.prefix(1))\($0)")]) }
    }

    /// Draws a request. `tag` is a text that no other request has.
    func draw(
        tag: String, key: (inout SplitMix64) -> Key, random: inout SplitMix64
    ) -> Request? {
        if mixWeight > 0 {
            var index = random.index(below: kinds.count + mixWeight)
            for request in mix {
                if index < request.weight { return request.draw(key: key, &random) }
                index -= request.weight
            }
        }
        guard !kinds.isEmpty else { return nil }
        var request = drawRequest(tag: tag, key: key, random: &random)
        if random.happens(concern) {
            request.concern = [.majority, .all][random.index(below: 2)]
        }
        return request
    }

    private func drawRequest(
        tag: String, key: (inout SplitMix64) -> Key, random: inout SplitMix64
    ) -> Request {
        let tagged = Value.string(tag)
        switch kinds[random.index(below: kinds.count)] {
        case .push:
            let list = lists[random.index(below: lists.count)]
            return .push(to: list, key: key(&random), tagged)
        case .append:
            let list = lists[random.index(below: lists.count)]
            return Request(kind: .append(list: list, key: nil, value: tagged), writes: [])
        case .increment:
            let counter = counters[random.index(below: counters.count)]
            return .increment(counter, by: Int64(random.number(below: 100)) + 1)
        case .set:
            if random.index(below: 6) == 0 { return drawPriority(&random) }
            let path = drawPath(&random)
            return .write(drawValue(tagged, &random), at: path)
        case .remove: return .write(.null, at: drawPath(&random))
        case .update: return drawUpdate(tagged, &random)
        case .get:
            let path = drawPath(&random)
            return Request(kind: .get(path), writes: [], path: path)
        }
    }

    private func drawKey(_ random: inout SplitMix64) -> Key {
        Workload.keys[random.index(below: Workload.keys.count)]
    }

    /// The priority of the root, or of the object that has most children.
    private func drawPriority(_ random: inout SplitMix64) -> Request {
        let owner = random.index(below: 2) == 0 ? Path.root : Workload.data
        let value: Value =
            random.index(below: 5) == 0 ? .null : .integer(Int64(random.number(below: 9)))
        return .write(value, at: owner.appending(.priority))
    }

    /// A location one to three levels below `/data`.
    private func drawPath(_ random: inout SplitMix64) -> Path {
        var path = Workload.data
        for _ in 0...random.index(below: 3) { path = path.appending(drawKey(&random)) }
        return path
    }

    private func drawValue(_ tagged: Value, _ random: inout SplitMix64) -> Value {
        switch random.index(below: 10) {
        case 0: return tagged.prioritized(.integer(Int64(random.number(below: 5))))
        case 1, 2: return object([tagged, .integer(Int64(random.number(below: 9)))], &random)
        case 3: return object([drawIncrement(&random), tagged], &random)
        case 4, 5: return drawIncrement(&random)
        case 6: return object([object([tagged], &random)], &random)
        case 7: return .integer(Int64(random.number(below: 1_000)))
        case 8: return drawNumbered(tagged, &random)
        default: return tagged
        }
    }

    /// An object whose keys are numbers, which REST shows as an array if it has few holes.
    private func drawNumbered(_ tagged: Value, _ random: inout SplitMix64) -> Value {
        var children = Children()
        children[Key(unchecked: "\(random.index(below: 5))")] = tagged
        let names = ["0", "1", "2", "3", "4", "6", "05", "x"]
        for _ in 0..<random.index(below: 3) {
            children[Key(unchecked: names[random.index(below: names.count)])] = tagged
        }
        return Value(children)
    }

    /// Some of the sums depend on the order of their terms, because they are rounded.
    private func drawIncrement(_ random: inout SplitMix64) -> Value {
        let deltas: [Number] = [
            .integer(1), .integer(7), .double(0.1), .double(0.7), .double(1e16),
        ]
        return .deferred(.increment(deltas[random.index(below: deltas.count)]))
    }

    private func object(_ values: [Value], _ random: inout SplitMix64) -> Value {
        var children = Children()
        for value in values { children[drawKey(&random)] = value }
        return Value(children)
    }

    /// An update of two places as deep as a tree allows, or less.
    private func drawDeepUpdate(_ tagged: Value, _ random: inout SplitMix64) -> Request {
        let deep = Path([Key](repeating: Workload.keys[0], count: 2 + random.index(below: 20)))
        let path = Workload.data.appending(drawKey(&random)).appending(deep)
        let rest = [Key](repeating: Workload.keys[1], count: Limits.depth - path.count - 1)
        let writes = [0, 1].map { index in
            Write(path: Path(rest + [Workload.keys[index]]), value: tagged)
        }
        return Request(kind: .write(path), writes: writes, path: path)
    }

    /// An update of two places, one of which may be the priority of a location.
    private func drawUpdate(_ tagged: Value, _ random: inout SplitMix64) -> Request {
        if random.index(below: 16) == 0 { return drawDeepUpdate(tagged, &random) }
        let first = random.index(below: Workload.keys.count)
        let second =
            (first + 1 + random.index(below: Workload.keys.count - 1)) % Workload.keys.count
        var writes = [first, second].map { index in
            var path = Path([Workload.keys[index]])
            if random.index(below: 2) == 0 { path = path.appending(drawKey(&random)) }
            let value = random.index(below: 4) == 0 ? .null : drawValue(tagged, &random)
            return Write(path: path, value: value)
        }
        if random.index(below: 5) == 0 {
            let third = Path([Workload.keys[(second + 1) % Workload.keys.count], .priority])
            if third.keys[0] != Workload.keys[first] {
                writes.append(
                    Write(path: third, value: .integer(Int64(random.number(below: 9)))))
            }
        }
        return Request(kind: .write(Workload.data), writes: writes, path: Workload.data)
    }
}

extension Workload.Request {
    static func push(to list: Path, key: Key, _ value: Value) -> Workload.Request {
        Workload.Request(
            kind: .push(list: list, key: key, value: value),
            writes: [Write(path: list.appending(key), value: value)])
    }

    static func increment(_ counter: Path, by delta: Int64) -> Workload.Request {
        let value = Value.deferred(.increment(.integer(delta)))
        return Workload.Request(
            kind: .increment(counter: counter, delta: delta),
            writes: [Write(path: counter, value: value)])
    }

    static func write(_ value: Value, at path: Path) -> Workload.Request {
        Workload.Request(kind: .write(path), writes: [Write(path: path, value: value)])
    }

    /// The request as a protocol client sends it.
    func message(id: UInt64) -> ClientMessage {
        switch kind {
        case .append(let list, _, let value): return .push(id: id, path: list, value: value)
        case .get: return .get(id: id, path: path)
        default:
            if path.isRoot, writes.count == 1, let write = writes.first {
                return .put(id: id, path: write.path, value: write.value, concern: concern)
            }
            return .merge(id: id, path: path, writes: writes, concern: concern)
        }
    }

    /// The request as a program makes it of the SDK.
    var work: ClientCore.Request.Work {
        if case .get = kind { return .get(path) }
        if path.isRoot, writes.count == 1, let write = writes.first {
            return .put(write.path, write.value)
        }
        return .merge(path, writes)
    }

    var fingerprint: Fingerprint? {
        Fingerprint(of: writes.map { Write(path: path.appending($0.path), value: $0.value) })
    }
}
