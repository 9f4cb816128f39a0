import ClientCore
import DataTree
import ReplicaCore
import SyncProtocol

/// Writes at places as deep, or with as many bytes, as a tree allows, and such with one more.
enum DenseLimits {
    /// A write at the limit, which every node has to take.
    static func drawAllowed(
        below list: Path, _ tag: String, _ random: inout SplitMix64
    ) -> Request.Work {
        write(to: place(below: list, beyond: 0, &random), of: list, tag, &random)
    }

    /// A write beyond the limit, which none may take.
    static func drawRefused(
        below list: Path, _ tag: String, _ random: inout SplitMix64
    ) -> Request.Work {
        let place = place(below: list, beyond: 1 + random.index(below: 3), &random)
        return random.index(below: 4) == 0
            ? .onDisconnectPut(place, .string(tag)) : write(to: place, of: list, tag, &random)
    }

    /// A path of so many keys, or bytes, beyond the limit.
    private static func place(
        below list: Path, beyond excess: Int, _ random: inout SplitMix64
    ) -> Path {
        if random.index(below: 2) == 0 {
            let count = Limits.depth + excess - list.count
            return list.appending(Path((0..<count).map { Key(unchecked: "d\($0 % 3)") }))
        }
        let first = list.appending(Key(unchecked: String(repeating: "l", count: 300)))
        let rest = Limits.pathBytes + excess - first.utf8Count - 1
        return first.appending(Key(unchecked: String(repeating: "m", count: rest)))
    }

    /// A put at the location, a put of an object above it, or an update above it whose value
    /// contains the remaining keys. Neither the path within the update nor the value alone exceeds
    /// a limit.
    private static func write(
        to place: Path, of list: Path, _ tag: String, _ random: inout SplitMix64
    ) -> Request.Work {
        let above = Path(Array(place.keys[..<(list.count + 1)]))
        let rest = place.relative(to: above)
        switch random.index(below: 3) {
        case 0: return .put(place, .string(tag))
        case 1: return .put(above, object(tag, at: rest))
        default:
            let inner = Path(Array(rest.keys.prefix((rest.count + 1) / 2)))
            return .merge(
                above, [Write(path: inner, value: object(tag, at: rest.relative(to: inner)))])
        }
    }

    private static func object(_ tag: String, at path: Path) -> Value {
        var object = Value.null
        object.set(.string(tag), at: path)
        return object
    }
}
