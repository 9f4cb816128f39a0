import ClientCore
import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

/// A program that does all that the SDK offers, at few places: it begins and ends listens of every kind below and above each other,
/// writes in every way, transacts, leaves on-disconnect writes, goes offline with writes pending, and stops reading for a while.
///
/// It does not wait for answers.
struct DenseProgram {
    /// One step of the program.
    enum Step {
        case asks(Request.Work, concern: WriteConcern?)
        case transacts(Path, WriteVisibility)
        case listens(Path, Query)
        case ends(listen: Int)
        case goesOffline
        case goesOnline
        case leavesItsNode
        case stopsReading
        case readsAgain
        case purges
        /// Asks for what has to be refused.
        case asksInvalid(Request.Work)
        case buildsInvalidQuery
    }

    static let root = Path([Key(unchecked: "dense")])
    private static let lists = ["x", "y"].map { root.appending(Key(unchecked: $0)) }
    private static let keys = ["a", "b", "7", "10", "c"].map { Key(unchecked: $0) }
    private static let longList = root.appending(Key(unchecked: "z"))
    private static let number = Key(unchecked: "n")
    private static let nested = Path([Key(unchecked: "s"), Key(unchecked: "t")])
    /// A program that has so many listens ends one before it begins another.
    private static let listenLimit = 6

    private(set) var remaining: Int
    /// How many children the long list has at first; 0 without one.
    private let children: Int
    private var hasFilled = false
    private(set) var isOffline = false
    private(set) var isReading = true
    /// The listens that have not ended, by their numbers.
    private var listens: [Int] = []
    private var listenCount = 0
    private var pushIDs = PushIDGenerator()
    /// The keys that it pushed last.
    private var pushed: [Key] = []

    init(remaining: Int, children: Int) {
        self.remaining = remaining
        self.children = children
    }

    /// Ends the steps; returns what makes the program reachable again.
    mutating func stop() -> [Step] {
        remaining = 0
        var steps: [Step] = []
        if !isReading { steps.append(.readsAgain) }
        if isOffline { steps.append(.goesOnline) }
        (isReading, isOffline) = (true, false)
        return steps
    }

    /// The next step; nil after the last one. `tag` is a text that no other step has.
    mutating func next(tag: String, at milliseconds: UInt64, _ random: inout SplitMix64) -> Step? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        if children > 0, let step = drawInLongList(&random) { return step }
        switch random.index(below: 40) {
        case 0..<8: return listen(&random)
        case 8..<10: return endListen(&random) ?? listen(&random)
        case 10..<12: return drawTransaction(&random)
        case 12:
            isOffline.toggle()
            return isOffline ? .goesOffline : .goesOnline
        case 13: return .leavesItsNode
        case 14..<17:
            isReading.toggle()
            return isReading ? .readsAgain : .stopsReading
        case 17..<20: return .asks(drawOnDisconnect(tag, &random), concern: nil)
        case 20:
            if random.index(below: 3) == 0 {
                return .asks(.awaitStable(milliseconds: 5_000), concern: nil)
            }
            return .asks(.get(drawList(&random), drawQuery(&random)), concern: nil)
        case 21: return drawRareStep(tag, &random)
        case 22:
            let path = DenseProgram.lists[1].appending(drawPushedKey(at: milliseconds, &random))
            return .asks(.put(path, drawValue(tag, &random)), concern: nil)
        default:
            let concern: WriteConcern? =
                random.index(below: 10) == 0 ? [.majority, .all][random.index(below: 2)] : nil
            return .asks(drawWrite(tag, &random), concern: concern)
        }
    }

    private func drawRareStep(_ tag: String, _ random: inout SplitMix64) -> Step {
        switch random.index(below: 6) {
        case 0: .purges
        case 1: .buildsInvalidQuery
        case 2: .asksInvalid(drawInvalid(tag, &random))
        default: drawTransaction(&random)
        }
    }

    /// A new key, or one of the last.
    private mutating func drawPushedKey(
        at milliseconds: UInt64, _ random: inout SplitMix64
    ) -> Key {
        let index = random.index(below: 6)
        if index < pushed.count { return pushed[index] }
        let key = pushIDs.next(at: milliseconds, random: &random)
        pushed = [key] + pushed.prefix(2)
        return key
    }

    /// A write that no tree may have: no number, too deep, or at too long a path.
    private func drawInvalid(_ tag: String, _ random: inout SplitMix64) -> Request.Work {
        let list = drawList(&random)
        let deep = Path((0...32).map { Key(unchecked: "d\($0)") })
        let long = Path([Key(unchecked: String(repeating: "l", count: 770))])
        switch random.index(below: 4) {
        case 0: return .put(list, .double(.infinity))
        case 1: return .put(list.appending(deep), .string(tag))
        case 2: return .onDisconnectPut(list.appending(long), .string(tag))
        default: return .merge(list, [Write(path: long, value: .string(tag))])
        }
    }

    private func drawTransaction(_ random: inout SplitMix64) -> Step {
        .transacts(drawPath(&random), random.index(below: 2) == 0 ? .shown : .hidden)
    }

    // MARK: The long list

    /// At first all of it; later, in four of five steps, a write or a listen in its middle.
    private mutating func drawInLongList(_ random: inout SplitMix64) -> Step? {
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

    // MARK: Listens

    private mutating func listen(_ random: inout SplitMix64) -> Step? {
        if listens.count == DenseProgram.listenLimit { return endListen(&random) }
        listens.append(listenCount)
        listenCount += 1
        return .listens(drawList(&random), drawQuery(&random))
    }

    private mutating func endListen(_ random: inout SplitMix64) -> Step? {
        if listens.isEmpty { return nil }
        return .ends(listen: listens.remove(at: random.index(below: listens.count)))
    }

    /// Where a listen is: at a list mostly, or above or below one.
    private func drawList(_ random: inout SplitMix64) -> Path {
        let list = DenseProgram.lists[random.index(below: 2)]
        switch random.index(below: 8) {
        case 0: return DenseProgram.root
        case 1: return list.appending(drawKey(&random))
        case 2: return list.appending(drawKey(&random)).appending(DenseProgram.nested.keys[0])
        default: return list
        }
    }

    private func drawQuery(_ random: inout SplitMix64) -> Query {
        // Every third listen shows everything, and so serves others.
        if random.index(below: 3) == 0 { return Query() }
        return (try? drawFilter(&random)) ?? Query()
    }

    private func drawFilter(_ random: inout SplitMix64) throws(DataError) -> Query {
        var query = Query()
        let order = random.index(below: 6)
        switch order {
        case 0: query = try query.orderedByKey()
        case 1: query = try query.orderedByValue()
        case 2: query = try query.orderedByPriority()
        case 3: query = try query.ordered(byChild: "s/t")
        default: query = try query.ordered(byChild: "n")
        }
        let isByKey = order == 0
        switch random.index(below: 5) {
        case 0:
            query = try query.starting(
                at: drawBound(isByKey, &random), key: drawBoundKey(isByKey, &random))
        case 1:
            query = try query.starting(
                after: drawBound(isByKey, &random), key: drawBoundKey(isByKey, &random))
        default: break
        }
        switch random.index(below: 5) {
        case 0:
            query = try query.ending(
                at: drawBound(isByKey, &random), key: drawBoundKey(isByKey, &random))
        case 1:
            query = try query.ending(
                before: drawBound(isByKey, &random), key: drawBoundKey(isByKey, &random))
        default: break
        }
        switch random.index(below: 4) {
        case 0: break
        case 1: query = try query.limited(toFirst: 1 + random.index(below: 3))
        default: query = try query.limited(toLast: 1 + random.index(below: 3))
        }
        return query
    }

    private func drawBound(_ isByKey: Bool, _ random: inout SplitMix64) -> Value {
        if isByKey { return .string(drawKey(&random).text) }
        switch random.index(below: 6) {
        case 0: return .null
        case 1: return .string("c")
        default: return DenseValues.drawLeaf(&random)
        }
    }

    private func drawBoundKey(_ isByKey: Bool, _ random: inout SplitMix64) -> String? {
        isByKey || random.index(below: 2) == 0 ? nil : drawKey(&random).text
    }

    // MARK: Writes

    private func drawKey(_ random: inout SplitMix64) -> Key {
        DenseProgram.keys[random.index(below: DenseProgram.keys.count)]
    }

    /// Where a write goes: to a child of a list mostly, or above or below one.
    private func drawPath(_ random: inout SplitMix64) -> Path {
        let list = DenseProgram.lists[random.index(below: 2)]
        let child = list.appending(drawKey(&random))
        switch random.index(below: 16) {
        case 0: return random.index(below: 4) == 0 ? DenseProgram.root : list
        case 1, 2: return child.appending(DenseProgram.nested)
        case 3..<7: return child.appending(DenseProgram.number)
        default: return child
        }
    }

    private func drawWrite(_ tag: String, _ random: inout SplitMix64) -> Request.Work {
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

    /// Puts of whole children and of parts of them, at two places, so that they meet; some are taken back.
    private func drawOnDisconnect(_ tag: String, _ random: inout SplitMix64) -> Request.Work {
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

    /// Few values, so that they tie, and objects as deep as queries look.
    private func drawValue(_ tag: String, _ random: inout SplitMix64) -> Value {
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
