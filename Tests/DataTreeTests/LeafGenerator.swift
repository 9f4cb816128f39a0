import DataTree

/// Small values that are likely to have places in common, priorities included.
struct LeafGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func chance(_ percent: UInt64) -> Bool { number(below: 100) < percent }

    mutating func number(below limit: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % limit
    }

    mutating func key() -> Key {
        // Push keys come before `.priority`, others behind it.
        let keys: [Key] = ["-a", "-b", "1", "10", "a", "b", "z"]
        return keys[Int(number(below: 7))]
    }

    mutating func value(depth: Int) -> Value {
        if depth == 0 || chance(20) { return leaf() }
        var children = Children()
        for _ in 0...number(below: 4) { children[key()] = value(depth: depth - 1) }
        let value = Value(children)
        return chance(25) ? value.prioritized(.integer(Int64(number(below: 3)))) : value
    }

    private mutating func leaf() -> Value {
        let value: Value = chance(50) ? .integer(Int64(number(below: 3))) : .string("x\"\\é")
        return chance(25) ? value.prioritized(.string("p")) : value
    }

    mutating func changed(_ value: Value) -> Value {
        var changed = value
        for _ in 0..<number(below: 3) {
            let path = Path((0...number(below: 3)).map { _ in key() })
            changed.set(chance(40) ? .null : self.value(depth: 1), at: path)
        }
        return changed
    }
}
