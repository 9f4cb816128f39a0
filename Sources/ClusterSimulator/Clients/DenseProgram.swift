import ClientCore
import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

/// A program that uses every function of the SDK at few locations. It begins and ends listens of
/// every kind above and below each other, writes in every way, runs transactions, and registers
/// on-disconnect writes. It goes offline with pending writes, and stops reading for a while.
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
        /// Its process ends, and another one begins with what it has kept, perhaps without a network at first.
        case restarts(isOrderly: Bool, isOffline: Bool)
        /// It leaves so many nodes, each as soon as that says something.
        case hops(Int)
        /// Asks for what has to be refused.
        case asksInvalid(Request.Work)
        case buildsInvalidQuery
    }

    static let root = Path([Key(unchecked: "dense")])
    static let lists = ["x", "y"].map { root.appending(Key(unchecked: $0)) }
    static let keys = ["a", "b", "7", "10", "c"].map { Key(unchecked: $0) }
    /// Keys whose order by UTF-8 is the reverse of that by UTF-16, which is Firebase's.
    static let wideKeys = ["\u{FF5E}", "\u{1F600}"].map { Key(unchecked: $0) }
    /// Keys that begin alike: longer than a word, and longer than a key is kept in one piece.
    static let longKeys = [
        "measured-a", "measured-b", "measured-in-quarters-of-a-minute",
        "measured-in-quarters-of-a-minutf",
    ].map { Key(unchecked: $0) }
    static let longList = root.appending(Key(unchecked: "z"))
    static let number = Key(unchecked: "n")
    static let nested = Path([Key(unchecked: "s"), Key(unchecked: "t")])
    /// A program that has so many listens ends one before it begins another.
    private static let listenLimit = 6

    private(set) var remaining: Int
    /// How many children the long list has at first; 0 without one.
    let children: Int
    /// Whether the long list has been written.
    var hasFilled = false
    private(set) var isOffline = false
    private(set) var isReading = true
    /// Whether it began to read again with its last step.
    private var isCatchingUp = false
    /// The listens that have not ended, by their numbers.
    var listens: [Int] = []
    var listenCount = 0
    /// The location and the filter of its last listen.
    private var lastListen: (path: Path, filter: DenseFilter)?
    private var pushIDs = PushIDGenerator()
    /// The location of its last on-disconnect write of an object.
    var left: Path?
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
        // Half of them leave nothing for their ends.
        if listenCount.isMultiple(of: 2) {
            steps.append(.asks(.onDisconnectCancel(DenseProgram.root), concern: nil))
        }
        return steps
    }

    /// Another process begins, which listens again to what the last one did; returns how often.
    mutating func restart(isOffline: Bool) -> Int {
        (isReading, self.isOffline, left) = (true, isOffline, nil)
        listens = Array(listenCount..<listenCount + listens.count)
        listenCount += listens.count
        return listens.count
    }

    /// The next step; nil after the last one. `tag` is a text that no other step has.
    mutating func next(tag: String, at milliseconds: UInt64, _ random: inout SplitMix64) -> Step? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        // Some clients that read again soon stop.
        if isCatchingUp, isReading, !isOffline, random.index(below: 3) == 0 {
            (isReading, isCatchingUp) = (false, false)
            return .stopsReading
        }
        isCatchingUp = false
        // Clients stay offline briefly, but mostly for longer than nodes wait for writes.
        if isOffline, random.index(below: 24) == 0 {
            isOffline = false
            return .goesOnline
        }
        // A slow client receives the changes that were held back before the answer that all earlier
        // writes have arrived.
        if !isReading, !isOffline, random.index(below: 12) == 0 {
            return .asks(.awaitStable(milliseconds: 5_000), concern: nil)
        }
        if children > 0, let step = drawInLongList(&random) { return step }
        switch random.index(below: 42) {
        case 0..<8: return listen(&random)
        case 8..<10: return endListen(&random) ?? listen(&random)
        case 10..<12: return drawTransaction(&random)
        case 12:
            isOffline.toggle()
            return isOffline ? .goesOffline : .goesOnline
        case 13: return .leavesItsNode
        case 14..<17:
            isReading.toggle()
            isCatchingUp = isReading
            return isReading ? .readsAgain : .stopsReading
        case 17..<20: return .asks(drawOnDisconnect(tag, &random), concern: nil)
        case 20:
            return .asks(drawRead(&random), concern: nil)
        case 23: return .asks(.awaitStable(milliseconds: 5_000), concern: nil)
        case 21: return drawRareStep(tag, &random)
        case 39, 40:
            let (isOrderly, isOffline) = (random.index(below: 2) == 0, random.index(below: 2) == 0)
            return .restarts(isOrderly: isOrderly, isOffline: isOffline)
        case 41: return .hops(1 + random.index(below: 3))
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
        switch random.index(below: 7) {
        case 0: .purges
        case 1: .buildsInvalidQuery
        case 2: .asksInvalid(drawInvalid(tag, &random))
        case 3: .asks(DenseLimits.drawAllowed(below: drawList(&random), tag, &random), concern: nil)
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
        return random.index(below: 4) == 0
            ? .put(list, .double(.infinity))
            : DenseLimits.drawRefused(below: list, tag, &random)
    }

    /// A read, mostly of a query; at times of keys alone, or of all that is stable.
    private func drawRead(_ random: inout SplitMix64) -> Request.Work {
        switch random.index(below: 6) {
        case 0:
            let from = random.index(below: 2) == 0 ? nil : drawKey(&random)
            return .children(drawList(&random), from: from, limit: 1 + random.index(below: 3))
        case 1: return .awaitStable(milliseconds: random.number(below: 600))
        default: return .get(drawList(&random), drawQuery(&random))
        }
    }

    private func drawTransaction(_ random: inout SplitMix64) -> Step {
        .transacts(drawPath(&random), random.index(below: 2) == 0 ? .shown : .hidden)
    }

    // MARK: Listens

    private mutating func listen(_ random: inout SplitMix64) -> Step? {
        if listens.count == DenseProgram.listenLimit { return endListen(&random) }
        let (path, query) = drawListen(&random)
        listens.append(listenCount)
        listenCount += 1
        return .listens(path, query)
    }

    /// The location and the query of a listen; half of the filters differ from the previous one in
    /// one part.
    private mutating func drawListen(_ random: inout SplitMix64) -> (Path, Query) {
        // Every third listen shows everything, and so serves others.
        if random.index(below: 3) == 0 { return (drawList(&random), Query()) }
        var (path, filter) = (drawList(&random), DenseFilter(&random))
        if let last = lastListen, random.index(below: 2) == 0 {
            (path, filter) = (last.path, last.filter.varied(&random))
        }
        lastListen = (path, filter)
        return (path, filter.query)
    }

    mutating func endListen(_ random: inout SplitMix64) -> Step? {
        if listens.isEmpty { return nil }
        return .ends(listen: listens.remove(at: random.index(below: listens.count)))
    }

    /// The location of a listen: mostly a list, sometimes above or below one.
    func drawList(_ random: inout SplitMix64) -> Path {
        let list = DenseProgram.lists[random.index(below: 2)]
        switch random.index(below: 8) {
        case 0: return DenseProgram.root
        case 1: return list.appending(drawKey(&random))
        case 2: return list.appending(drawKey(&random)).appending(DenseProgram.nested.keys[0])
        default: return list
        }
    }

    private func drawQuery(_ random: inout SplitMix64) -> Query {
        random.index(below: 3) == 0 ? Query() : DenseFilter(&random).query
    }
}
