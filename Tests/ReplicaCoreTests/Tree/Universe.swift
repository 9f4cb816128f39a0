import DataTree
import SyncProtocol

/// The small universes and random mixes of the executable model (`convergence_model.py`).
enum Universe {
    static func path(_ text: String) -> Path {
        Path(text.split(separator: "/").map { Key(unchecked: String($0)) })
    }
    static func increment(_ delta: Double) -> Value { .deferred(.increment(.double(delta))) }

    static func object(_ members: [String: Value]) -> Value {
        var builder = ObjectBuilder()
        for key in members.keys.sorted() { builder.add(Key(unchecked: key), members[key]!) }
        return (try? builder.finish()) ?? .null
    }

    /// The 50 writes of which all sequences of three arrive in all orders.
    static let alphabet: [[Write]] = {
        var letters: [[Write]] = []
        for path in ["", "a", "a/b", "a/b/a", "a/a", "b"].map(path) {
            let values: [Value] = [
                .null, .integer(1), increment(0.1), object(["b": .string("s")]),
                object(["b": increment(0.7)]), .string("s"),
                object(["a": .integer(2), "b": object(["a": increment(5), "b": .integer(3)])]),
                object(["a": increment(1), "b": .integer(1_000_000)]),
            ]
            letters += values.map { [Write(path: path, value: $0)] }
        }
        letters.append([
            Write(path: path("a/a"), value: .null), Write(path: path("a/b"), value: .integer(2)),
        ])
        letters.append([
            Write(path: path("a/b/a"), value: increment(1)),
            Write(path: path("b"), value: .string("u")),
        ])
        return letters
    }()

    static func stamp(_ number: Int) -> Stamp {
        Stamp(time: HybridTime(bits: UInt64(number)), writer: WriterID(bits: 1))
    }
}

/// Random numbers from a seed: SplitMix64.
struct Generator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }

    mutating func pick<T>(_ choices: [T]) -> T { choices.randomElement(using: &self)! }
}

/// Which kinds of write a case holds, and how many of each: drawn anew for every case, so that rare
/// mixes such as "increments only, at one place" do occur.
struct Mix {
    var null = 0.22
    var increment = 0.12
    var primitive = 0.34
    var deep = 0.9
    var keys = 2
    var update = 0.2
    var priority = 0.0

    static func draw(_ random: inout Generator, priorities: Bool) -> Mix {
        var mix = Mix()
        if !random.chance(0.3) {
            mix.null = random.pick([0, 0.1, 0.3, 0.6])
            mix.increment = random.pick([0, 0.2, 0.5, 1])
            mix.primitive = random.pick([0.1, 0.3, 0.8])
            mix.deep = random.pick([0, 0.5, 0.9, 1])
            mix.keys = random.pick([1, 2, 2])
            mix.update = random.pick([0, 0.2, 0.6])
        }
        if priorities { mix.priority = random.pick([0.1, 0.3]) }
        return mix
    }

    func path(_ random: inout Generator, depth: Int) -> Path {
        let count = random.chance(deep) ? Int.random(in: 0...depth, using: &random) : min(1, depth)
        let names = Array(["a", "b"].prefix(keys))
        return Path((0..<count).map { _ in Key(unchecked: random.pick(names)) })
    }

    func value(_ random: inout Generator, depth: Int) -> Value {
        let value = plainValue(&random, depth: depth)
        guard random.chance(priority) else { return value }
        return value.prioritized(.integer(Int64.random(in: 1...3, using: &random)))
    }

    private func plainValue(_ random: inout Generator, depth: Int) -> Value {
        let weights = [null, increment, primitive, depth > 0 ? 0.32 : 0]
        var draw = Double.random(in: 0..<max(weights.reduce(0, +), 1e-9), using: &random)
        let kind =
            weights.firstIndex {
                draw -= $0
                return draw < 0
            } ?? 2
        switch kind {
        case 0: return .null
        case 1: return Universe.increment(random.pick([1, 5, 0.1, 0.2, 0.7, -3]))
        case 2:
            return random.pick([
                .integer(1), .integer(2), .double(0.3), .string("s"), .boolean(true),
            ])
        default:
            var children: [String: Value] = [:]
            for key in ["a", "b"] where random.chance(0.75) {
                children[key] = value(&random, depth: depth - 1)
            }
            return Universe.object(children)
        }
    }

    func operation(_ random: inout Generator, stamp: Int, depth: Int) -> Operation {
        if random.chance(update) {
            let count = random.pick([2, 3])
            let paths = Set((0..<count).map { _ in self.path(&random, depth: depth) }).sorted()
            let isPrefixFree = !paths.contains { path in
                paths.contains { $0 != path && $0.contains(path) }
            }
            if isPrefixFree {
                let writes = paths.map { path in
                    Write(path: path, value: value(&random, depth: max(0, depth - path.count)))
                }
                return Operation(stamp: Universe.stamp(stamp), writes: writes)
            }
        }
        let path = self.path(&random, depth: depth)
        let write: Write
        if random.chance(priority) {
            let priority: Value = random.pick([.null, .integer(7), .string("p")])
            write = Write(path: path.appending(.priority), value: priority)
        } else {
            write = Write(path: path, value: value(&random, depth: max(0, depth - path.count)))
        }
        return Operation(stamp: Universe.stamp(stamp), writes: [write])
    }
}
