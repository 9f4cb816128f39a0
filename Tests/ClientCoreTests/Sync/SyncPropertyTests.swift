import DataTree
import Foundation
import QueryEngine
import Testing

struct SyncPropertyTests {
    @Test
    func
        `listeners see the server's data with local writes over it, and the final data in the end`()
    {
        let count = ProcessInfo.processInfo.environment["HEARTH_SYNC_SEEDS"].flatMap(UInt64.init)
        for seed in 1...(count ?? 1500) {
            do {
                var world = SyncWorld(seed: seed)
                try world.run(steps: 80)
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }
}

/// Random numbers, values and queries that a seed decides.
struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x2545_F491_4F6C_DD1D }

    /// Source: Steele, Lea and Flood, *SplitMix*.
    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }

    private mutating func key() -> Key { Key(unchecked: ["a", "b", "c", "d", "1"][below(5)]) }

    mutating func write() -> (path: Path, value: Value) {
        var keys = [key()]
        while keys.count < 4, below(3) > 0 { keys.append(key()) }
        if below(10) == 0 { return (Path(keys + [.priority]), priority()) }
        return (Path(keys), value(depth: keys.count))
    }

    private mutating func priority() -> Value {
        [.null, .integer(1), .integer(2), .string("p")][below(4)]
    }

    private mutating func value(depth: Int) -> Value {
        let number = Value.integer(Int64(below(4)))
        var value = [Value.null, number, number, .string("s")][below(4)]
        if depth < 4, below(2) == 0 {
            var children = Children()
            for _ in 0..<(1 + below(4)) {
                let child = self.value(depth: depth + 1)
                if !child.isNull { children[key()] = child }
            }
            value = Value(children)
        }
        return below(5) == 0 ? value.prioritized(priority()) : value
    }

    mutating func query() throws -> Query {
        var query = Query()
        switch below(5) {
        case 0: query = try query.orderedByKey()
        case 1: query = try query.orderedByValue()
        case 2: query = try query.ordered(byChild: "a")
        default: break
        }
        if below(3) == 0 { return query }
        if below(2) == 0 {
            let isByKey = query.order == .key
            query = try query.starting(at: isByKey ? .string("b") : .integer(Int64(below(3))))
        }
        switch below(3) {
        case 0: return try query.limited(toFirst: 1 + below(3))
        case 1: return try query.limited(toLast: 1 + below(3))
        default: return query
        }
    }
}
