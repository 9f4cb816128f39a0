import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

@testable import ClusterSimulator

/// The requests of one client on a few overlapping locations, drawn from a seed.
struct OneClientProgram {
    enum Request {
        case put(Path, Value)
        /// A put with the hash of what its client believes to be there.
        case transact(Path, Value, if: DataHash)
        case merge(Path, [Write])
        case get(Path)
        case listen(Path)
        /// Ends the last listen that is open.
        case unlisten(Path)
        case onDisconnect(Path, Value)
        case onDisconnectCancel(Path)
    }

    private(set) var requests: [Request] = []
    /// The tree of a single database after the requests so far.
    private var tree = Value.null
    private var listens: [Path] = []
    private var random: SplitMix64

    /// - Parameter isRest: Whether only requests of REST are drawn.
    init(seed: UInt64, count: Int, isRest: Bool) {
        random = SplitMix64(seed: seed)
        for _ in 0..<count { requests.append(draw(isRest: isRest)) }
    }

    private static let paths: [Path] = ["x", "x", "x/a", "x/a/b", "x/c", "y"].map {
        (text: String) in Path(text.split(separator: "/").map { Key(unchecked: String($0)) })
    }

    private mutating func drawPath() -> Path {
        OneClientProgram.paths[random.index(below: OneClientProgram.paths.count)]
    }

    private mutating func drawValue() -> Value {
        let number = Value.integer(Int64(random.number(below: 4)))
        switch random.index(below: 8) {
        case 0, 1: return .null
        case 2:
            var value = Value.null
            value.set(number, at: Path([Key(unchecked: "a")]))
            return value
        case 3: return number.prioritized(.integer(Int64(random.number(below: 3))))
        default: return number
        }
    }

    private mutating func draw(isRest: Bool) -> Request {
        let path = drawPath()
        switch random.index(below: isRest ? 13 : 18) {
        case 0...4: return drawTransaction(at: path)
        case 5...7:
            let value = drawValue()
            tree.set(value, at: path)
            return .put(path, value)
        case 8: return .put(path, .deferred(.increment(.integer(2))))
        case 9:
            let writes = ["a", "d"].map { name in
                Write(path: Path([Key(unchecked: name)]), value: drawValue())
            }
            for write in writes { tree.set(write.value, at: path.appending(write.path)) }
            return .merge(path, writes)
        case 10...12: return .get(path)
        case 13 where !listens.contains(path):
            listens.append(path)
            return .listen(path)
        case 13, 14: return listens.popLast().map { .unlisten($0) } ?? .get(path)
        case 15, 16: return .onDisconnect(path, drawValue())
        default: return .onDisconnectCancel(path)
        }
    }

    /// Mostly with the right hash.
    private mutating func drawTransaction(at path: Path) -> Request {
        let value = drawValue()
        switch random.index(below: 6) {
        case 0: return .transact(path, value, if: DataHash(text: ""))
        case 1: return .transact(path, value, if: DataHash(of: .integer(1)))
        default:
            let hash = DataHash(of: tree[path])
            tree.set(value, at: path)
            return .transact(path, value, if: hash)
        }
    }
}
