import DataTree

@testable import QueryEngine

/// Random operations on a list and a random query of it. Each seed has its own shape: which keys,
/// values and operations occur at all, so that some runs consist of what is rare elsewhere.
struct RandomLists {
    private var random: SplitMix64
    private let keys: [Key]
    private let fields: [Key]
    private let kinds: [Int]
    private let priorityOdds: UInt64
    private let deepOdds: UInt64
    private let wholeOdds: UInt64
    private let mostWrites: UInt64

    init(seed: Int) {
        var random = SplitMix64(state: UInt64(seed) &* 0x2545_F491_4F6C_DD1D)
        let names = ["a", "b", "c", "d", "1", "2", "10", "-3", "01", "é", "\u{FF61}", "🐵", "zz"]
        let many = (0..<40).map { "k\($0)" }
        func some<T>(_ all: [T], atLeast least: Int) -> [T] {
            let shuffled = all.shuffled(using: &random)
            return Array(shuffled.prefix(Int.random(in: least...all.count, using: &random)))
        }
        keys = some(random.odds(4) ? many : names, atLeast: 3).map { Key(unchecked: $0) }
        fields = some(["p", "q", "r"], atLeast: 1).map { Key(unchecked: $0) }
        kinds = some(Array(0..<7), atLeast: 2)
        priorityOdds = [2, 4, 1000].randomElement(using: &random)!
        deepOdds = [2, 3, 10].randomElement(using: &random)!
        wholeOdds = [8, 40, 1000].randomElement(using: &random)!
        mostWrites = [1, 2, 3, 8].randomElement(using: &random)!
        self.random = random
    }

    /// The paths of one operation may contain one another; then their order counts.
    mutating func operation() -> [(path: Path, value: Value)] {
        if random.odds(wholeOdds) { return [(.root, list())] }
        if random.odds(60) { return [(Path([.priority]), priority())] }
        let count = 1 + Int(random.next(upperBound: mostWrites))
        return (0..<count).map { _ in write() }
    }

    private mutating func write() -> (path: Path, value: Value) {
        var path = [keys.randomElement(using: &random)!]
        while path.count < 3, random.odds(deepOdds) {
            path.append(fields.randomElement(using: &random)!)
        }
        if random.odds(priorityOdds * 3) { return (Path(path + [.priority]), priority()) }
        return (Path(path), value(depth: path.count))
    }

    /// A value for the location itself.
    mutating func list() -> Value {
        if random.odds(6) { return value(depth: 3) }
        var children = Children()
        for key in keys where !random.odds(3) {
            let child = value(depth: 1)
            if !child.isNull { children[key] = child }
        }
        return Value(children).prioritized(random.odds(4) ? priority() : .null)
    }

    private mutating func value(depth: Int) -> Value {
        let content: Value =
            switch kinds.randomElement(using: &random)! {
            case 0: .null
            case 1:
                .string(
                    ["", "a", "b", "a rather long text", "a rather long text too"]
                        .randomElement(using: &random)!)
            case 2: .boolean(random.odds(2))
            case 3: .double([0.5, -1.5, 1e300].randomElement(using: &random)!)
            case 4, 5: depth < 3 ? object(depth: depth) : .null
            default: .integer(Int64.random(in: -1...3, using: &random))
            }
        return content.prioritized(random.odds(priorityOdds) ? priority() : .null)
    }

    private mutating func object(depth: Int) -> Value {
        var children = Children()
        for key in fields where random.odds(2) {
            let child = value(depth: depth + 1)
            if !child.isNull { children[key] = child }
        }
        // As it is after a write, or as it came.
        if random.odds(2) { children.compact() }
        return Value(children)
    }

    private mutating func priority() -> Value {
        [.null, .string("p"), .integer(0), .integer(1), .double(1.5)].randomElement(using: &random)!
    }
}

// MARK: - Queries

extension RandomLists {
    mutating func query() throws -> Query {
        var query = try ordered()
        if random.odds(2) { query = try started(query) }
        if random.odds(2) { query = try ended(query) }
        switch random.next(upperBound: UInt64(6)) {
        case 0, 1: return try query.limited(toFirst: limit())
        case 2, 3: return try query.limited(toLast: limit())
        default: return query
        }
    }

    private mutating func limit() -> Int {
        Int.random(in: 1...(random.odds(4) ? 12 : 5), using: &random)
    }

    private mutating func ordered() throws -> Query {
        let field = fields.randomElement(using: &random)!.text
        switch random.next(upperBound: UInt64(6)) {
        case 0: return try Query().orderedByKey()
        case 1: return try Query().orderedByValue()
        case 2: return try Query().ordered(byChild: field)
        case 3: return try Query().ordered(byChild: "p/" + field)
        case 4: return try Query().orderedByPriority()
        default: return Query()
        }
    }

    private mutating func started(_ query: Query) throws -> Query {
        let (value, key) = bound(query.order)
        return random.odds(2)
            ? try query.starting(at: value, key: key) : try query.starting(after: value, key: key)
    }

    private mutating func ended(_ query: Query) throws -> Query {
        let (value, key) = bound(query.order)
        return random.odds(2)
            ? try query.ending(at: value, key: key) : try query.ending(before: value, key: key)
    }

    private mutating func bound(_ order: ChildOrder) -> (Value, String?) {
        let key = keys.randomElement(using: &random)!.text
        if order == .key { return (.string(key), nil) }
        let value = order == .priority ? priority() : value(depth: 3).content
        return (value, random.odds(2) ? key : nil)
    }
}

/// A small generator whose numbers a seed decides. Source: Steele, Lea and Flood, *SplitMix*.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// True once in so many times.
    mutating func odds(_ count: UInt64) -> Bool { next(upperBound: count) == 0 }
}
