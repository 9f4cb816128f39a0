import Convergence
import DataTree
import ReplicaCore
import Store
import SyncProtocol

/// Applies further operations to copies of states of one replica. They are newer than the stable time there, and at,
/// above and below the locations of others.
///
/// The registers of a replica have an effect only when operations arrive late, which is rare in runs.
struct LateWrites {
    /// How many turns there are on average from one state that is asked to the next one.
    static let turnInterval = 6
    /// How many ticks there are from one state on disk to the next.
    static let tickInterval = 12
    /// How often something arrives late at a state on disk, which costs more to read than to ask.
    static let restartArrivals = 6

    private let node: String
    private var random: SplitMix64
    /// How many operations have arrived late.
    private(set) var count = 0
    /// The first state that shows something wrong.
    private(set) var failure: String?

    init(node: String, random: SplitMix64) {
        self.node = node
        self.random = random
    }

    /// Whether it is time to ask, once in so many times.
    mutating func isDue(onceIn interval: Int) -> Bool {
        failure == nil && random.index(below: interval) == 0
    }

    /// Gives copies of the state some late operations, each some of its own; the oracle has the operations of the state.
    mutating func arrive(
        times: Int = 1, at state: Checkpoint, beside oracle: EveryTurnOracle, at now: Microseconds
    ) {
        guard failure == nil, oracle.isOn, oracle.failure == nil,
            !oracle.operations(after: state.stableTime).isEmpty
        else { return }
        let tree = ConvergentTree(value: state.value, registers: state.registers)
        let hidden = oracle.priorityOwners.filter { tree.value[$0].isNull }
        for _ in 0..<times where failure == nil {
            arrive(
                at: tree, hiding: hidden, stable: state.stableTime, beside: oracle, at: now)
        }
    }

    /// - Parameter hidden: Locations without values that may have priorities.
    private mutating func arrive(
        at state: ConvergentTree, hiding hidden: [Path], stable: HybridTime,
        beside oracle: EveryTurnOracle, at now: Microseconds
    ) {
        var tree = state
        var recent = oracle.operations(after: stable)
        if !recent.isEmpty, random.index(below: 3) == 0 {
            // As if stability had come so far by now.
            let stable = recent[pick(recent)].stamp.time
            tree.forget(through: Stamp(time: stable, writer: WriterID(bits: .max)))
            recent = oracle.operations(after: stable)
        }
        if recent.isEmpty { return }
        let late = (0...random.index(below: 2)).flatMap { _ in
            hidden.isEmpty || random.index(below: 4) > 0
                ? [draw(among: recent)] : drawReturn(of: hidden, among: recent)
        }
        for operation in late { _ = tree.apply(operation) }
        count += late.count
        let expected = oracle.value(with: late)
        if tree.value == expected { return }
        failure =
            "\(node) at \(now.description) would show something wrong if \(late.map(\.writes)) arrived with the "
            + "stamps \(late.map { "\($0.stamp)" }), at \(TreeDifference(tree.value, expected))"
    }

    private mutating func pick(_ operations: ArraySlice<Operation>) -> Int {
        operations.startIndex + random.index(below: operations.count)
    }

    /// An operation just before or after another one, near the place of a third; or one of them again.
    private mutating func draw(among recent: ArraySlice<Operation>) -> Operation {
        let neighbour = recent[pick(recent)]
        let writes = recent[pick(recent)].writes
        if writes.isEmpty || random.index(below: 6) == 0 { return neighbour }
        let stamp = Stamp(time: neighbour.stamp.time, writer: WriterID(bits: random.next()))
        return Operation(
            stamp: stamp, writes: [drawWrite(near: writes[random.index(below: writes.count)])])
    }

    /// A value for a location that has none, and may have a priority that a value would show; perhaps one without a priority
    /// for the whole location before that.
    private mutating func drawReturn(
        of hidden: [Path], among recent: ArraySlice<Operation>
    ) -> [Operation] {
        let owner = hidden[random.index(below: hidden.count)]
        var late: [Operation] = []
        if random.index(below: 2) == 0 {
            let value = random.index(below: 2) == 0 ? Value.null : .string("late")
            late.append(
                Operation(
                    stamp: drawStamp(among: recent), writes: [Write(path: owner, value: value)]))
        }
        let child = Write(path: owner.appending(Key(unchecked: "late")), value: .integer(1))
        late.append(Operation(stamp: drawStamp(among: recent), writes: [child]))
        return late
    }

    private mutating func drawStamp(among recent: ArraySlice<Operation>) -> Stamp {
        Stamp(time: recent[pick(recent)].stamp.time, writer: WriterID(bits: random.next()))
    }

    private mutating func drawWrite(near write: Write) -> Write {
        var path = write.path
        if path.last == .priority { path = Path(path.keys.dropLast()) }
        switch random.index(below: 8) {
        case 0, 1: if path.count > 1 { path = Path(path.keys.dropLast()) }
        case 2, 3:
            for _ in 0...random.index(below: 2) {
                guard write.path.contains(path) else { break }
                let keys = write.value[path.relative(to: write.path)].children.map(\.key)
                if keys.isEmpty { break }
                path = path.appending(keys[random.index(below: keys.count)])
            }
        case 4, 5:
            path = path.appending(Key(unchecked: ["a", "b", "7", "n"][random.index(below: 4)]))
        default: break
        }
        if path.isRoot || random.index(below: 8) == 0 {
            let priority = random.index(below: 3) == 0 ? Value.null : .integer(5)
            return Write(path: path.appending(.priority), value: priority)
        }
        return Write(path: path, value: drawValue())
    }

    private mutating func drawValue() -> Value {
        switch random.index(below: 8) {
        case 0, 1: return .null
        case 2: return .integer(3)
        case 3: return .deferred(.increment(.integer(100)))
        case 4: return Value.string("late").prioritized(.integer(4))
        case 5:
            var object = Value.null
            object.set(.string("late"), at: Path([Key(unchecked: "a")]))
            return object
        default: return .string("late")
        }
    }
}
