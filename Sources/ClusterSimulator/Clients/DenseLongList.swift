import ClientCore
import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

// The long list of a dense program.

extension DenseProgram {
    /// At first all of it; later, in four of five steps, a write or a listen in its middle.
    mutating func drawInLongList(_ random: inout SplitMix64) -> Step? {
        if !hasFilled {
            hasFilled = true
            return .asks(.put(DenseProgram.longList, drawLongList(&random)), concern: nil)
        }
        switch random.index(below: 10) {
        case 0, 1: return nil
        case 2, 3:
            if listens.count >= 2 { return endListen(&random) }
            listens.append(listenCount)
            listenCount += 1
            return .listens(
                DenseProgram.longList, (try? drawLongListQuery(&random)) ?? Query())
        default:
            let child = DenseProgram.longList.appending(drawLongKey(&random))
            let value = random.index(below: 3) == 0 ? .null : drawRecord(&random)
            return .asks(.put(child, value), concern: nil)
        }
    }

    private func drawLongKey(_ random: inout SplitMix64) -> Key {
        Key(unchecked: "k\(10_000 + random.index(below: children + children / 4))")
    }

    private func drawRecord(_ random: inout SplitMix64) -> Value {
        var record = Value.null
        let number = Int64(random.number(below: UInt64(children)))
        record.set(.integer(number), at: Path([DenseProgram.number]))
        return record
    }

    private func drawLongList(_ random: inout SplitMix64) -> Value {
        var list = Value.null
        for index in 0..<children {
            let key = Key(unchecked: "k\(10_000 + index)")
            list.set(drawRecord(&random), at: Path([key]))
        }
        return list
    }

    /// Some children in the middle, or all from there on.
    private func drawLongListQuery(_ random: inout SplitMix64) throws(DataError) -> Query {
        let isByKey = random.index(below: 3) == 0
        let bound =
            isByKey
            ? Value.string(drawLongKey(&random).text)
            : .integer(Int64(random.number(below: UInt64(children))))
        let query = try isByKey ? Query().orderedByKey() : Query().ordered(byChild: "n")
        let isFromStart = random.index(below: 2) == 0
        let bounded = try isFromStart ? query.starting(at: bound) : query.ending(at: bound)
        let count = 1 + random.index(below: 60)
        switch random.index(below: 5) {
        case 0: return bounded
        case 1, 2: return try bounded.limited(toFirst: count)
        default: return try bounded.limited(toLast: count)
        }
    }
}
