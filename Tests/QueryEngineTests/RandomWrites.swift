import DataTree

/// Operations on a small tree, so that their places meet often.
enum RandomWrites {
    static func operation(_ random: inout SplitMix64) -> [(path: Path, value: Value)] {
        if random.next(upperBound: UInt64(25)) == 0 { return [(.root, value(&random))] }
        let count = 1 + Int(random.next(upperBound: UInt64(3)))
        return (0..<count).map { _ in write(&random) }
    }

    private static func write(_ random: inout SplitMix64) -> (path: Path, value: Value) {
        var keys = [key(&random)]
        if random.next(upperBound: UInt64(3)) == 0 { keys.append(key(&random)) }
        if random.next(upperBound: UInt64(4)) == 0 {
            return (Path(keys + [.priority]), priority(&random))
        }
        return (Path(keys), value(&random))
    }

    static func value(_ random: inout SplitMix64, depth: Int = 0) -> Value {
        let content: Value =
            switch random.next(upperBound: UInt64(6)) {
            case 0: .null
            case 1: .string("text")
            case 2: .boolean(true)
            case 3 where depth < 3: object(&random, depth: depth)
            default: .integer(Int64(random.next(upperBound: UInt64(3))))
            }
        return random.next(upperBound: UInt64(3)) == 0
            ? content.prioritized(priority(&random)) : content
    }

    private static func object(_ random: inout SplitMix64, depth: Int) -> Value {
        var children = Children()
        for _ in 0..<4 {
            let child = value(&random, depth: depth + 1)
            if !child.isNull { children[key(&random)] = child }
        }
        return Value(children)
    }

    private static func key(_ random: inout SplitMix64) -> Key {
        let names = ["a", "b", "c", "1", "2", "10", "é"]
        return Key(unchecked: names[Int(random.next(upperBound: UInt64(names.count)))])
    }

    private static func priority(_ random: inout SplitMix64) -> Value {
        switch random.next(upperBound: UInt64(4)) {
        case 0: .null
        case 1: .string("p")
        default: .integer(Int64(random.next(upperBound: UInt64(3))))
        }
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
}
