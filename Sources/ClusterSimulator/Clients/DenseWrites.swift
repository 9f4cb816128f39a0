import ClientCore
import DataTree
import ReplicaCore
import SyncProtocol

// The writes of a dense program and their locations.

extension DenseProgram {
    func drawKey(_ random: inout SplitMix64) -> Key {
        let keys =
            switch random.index(below: 12) {
            case 0: DenseProgram.longKeys
            case 1: DenseProgram.wideKeys
            default: DenseProgram.keys
            }
        return keys[random.index(below: keys.count)]
    }

    /// The location of a write: mostly a child of a list, sometimes above or below one.
    func drawPath(_ random: inout SplitMix64) -> Path {
        let list = DenseProgram.lists[random.index(below: 2)]
        let child = list.appending(drawKey(&random))
        switch random.index(below: 16) {
        case 0: return random.index(below: 4) == 0 ? DenseProgram.root : list
        case 1, 2: return child.appending(DenseProgram.nested)
        case 3..<7: return child.appending(DenseProgram.number)
        default: return child
        }
    }

    func drawWrite(_ tag: String, _ random: inout SplitMix64) -> Request.Work {
        switch random.index(below: 16) {
        case 0..<3: return .put(drawPath(&random), .null)
        case 3, 4:
            let delta = Value.deferred(.increment(.integer(Int64(1 + random.number(below: 3)))))
            return .put(drawPath(&random), delta)
        case 5, 6:
            let isSum = random.index(below: 6) == 0
            let priority = isSum ? .deferred(.increment(.integer(1))) : drawPriority(&random)
            return .put(drawPath(&random).appending(.priority), priority)
        case 7..<10: return drawMerge(tag, &random)
        default: return .put(drawPath(&random), drawValue(tag, &random))
        }
    }

    /// An update of several places of one list, or of both.
    private func drawMerge(_ tag: String, _ random: inout SplitMix64) -> Request.Work {
        var writes: [Write] = []
        for _ in 0...1 + random.index(below: 2) {
            var path = drawPath(&random)
            if random.index(below: 6) == 0 { path = path.appending(.priority) }
            let isOverlapping = writes.contains { $0.path.contains(path) || path.contains($0.path) }
            if isOverlapping || path == DenseProgram.root { continue }
            let value =
                path.last == .priority
                ? drawPriority(&random)
                : random.index(below: 3) == 0 ? .null : drawValue(tag, &random)
            writes.append(Write(path: path, value: value))
        }
        return .merge(
            DenseProgram.root,
            writes.map { Write(path: $0.path.relative(to: DenseProgram.root), value: $0.value) })
    }

    /// Puts of whole children and of parts of them, at two places, so that they meet; some are taken back, most often a part of the
    /// last object.
    mutating func drawOnDisconnect(_ tag: String, _ random: inout SplitMix64) -> Request.Work {
        if let left, random.index(below: 2) == 0 {
            let parts = [
                Path([DenseProgram.number]), DenseProgram.nested,
                Path([DenseProgram.nested.keys[0]]),
            ]
            return .onDisconnectCancel(left.appending(parts[random.index(below: parts.count)]))
        }
        let child = DenseProgram.lists[1].appending(DenseProgram.keys[random.index(below: 2)])
        let number = child.appending(DenseProgram.number)
        switch random.index(below: 8) {
        case 0: return .onDisconnectPut(drawPath(&random), drawValue(tag, &random))
        case 1:
            guard case .merge(let path, let writes) = drawMerge(tag, &random) else { fallthrough }
            return .onDisconnectMerge(path, writes)
        case 2: return .onDisconnectPut(number, random.index(below: 2) == 0 ? .null : .string(tag))
        case 3, 4: return .onDisconnectCancel(random.index(below: 4) == 0 ? child : number)
        default:
            var object = Value.null
            object.set(.string(tag), at: Path([DenseProgram.number]))
            object.set(drawNumber(&random), at: DenseProgram.nested)
            left = child
            return .onDisconnectPut(
                child, random.index(below: 2) == 0 ? object.prioritized(.integer(3)) : object)
        }
    }

    private func drawPriority(_ random: inout SplitMix64) -> Value {
        switch random.index(below: 4) {
        case 0: .null
        case 1: .string("p")
        default: DenseValues.drawLeaf(&random)
        }
    }

    private func drawNumber(_ random: inout SplitMix64) -> Value { DenseValues.drawLeaf(&random) }

    /// An object of more children than are kept in one piece, or of just as many; some hold sums.
    private func drawWide(_ random: inout SplitMix64) -> Value {
        var object = Value.null
        for index in 0..<8 + random.index(below: 16) {
            let isSum = random.index(below: 12) == 0
            let leaf = isSum ? .deferred(.increment(.integer(1))) : drawNumber(&random)
            object.set(leaf, at: Path([Key(unchecked: "w\(index)")]))
        }
        return object
    }

    /// Few values, so that they tie, and objects as deep as queries look.
    func drawValue(_ tag: String, _ random: inout SplitMix64) -> Value {
        let value: Value
        switch random.index(below: 8) {
        case 0: value = .boolean(random.index(below: 2) == 0)
        case 1: value = .string(tag)
        case 2, 3: value = drawNumber(&random)
        case 4:
            var object = Value.null
            for _ in 0...1 {
                object.set(drawNumber(&random), at: Path([drawKey(&random)]))
            }
            value = object
        case 5 where random.index(below: 3) == 0: value = drawWide(&random)
        default:
            var object = Value.null
            object.set(drawNumber(&random), at: Path([DenseProgram.number]))
            if random.index(below: 2) == 0 {
                object.set(drawNumber(&random), at: DenseProgram.nested)
            }
            value = object
        }
        return random.index(below: 4) == 0 ? value.prioritized(drawPriority(&random)) : value
    }
}
