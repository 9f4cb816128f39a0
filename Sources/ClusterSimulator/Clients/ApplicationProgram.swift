import ClientCore
import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

/// A program that listens to queries, writes, transacts, leaves on-disconnect writes, goes offline and
/// online, and leaves its node, without waiting for answers.
struct ApplicationProgram {
    /// The location of its listens. An update of a pair always changes both sides.
    static let board = Path([Key(unchecked: "board")])
    static let data = Path([Key(unchecked: "data")])
    static let pair = Path([Key(unchecked: "pair")])
    static let count = Path([Key(unchecked: "count")])
    /// The location at which each transaction writes another value.
    static let register = Path([Key(unchecked: "register")])
    /// The counter of all increments of applications.
    static let sum = Path([Key(unchecked: "counters"), Key(unchecked: "c1")])

    /// One step of the program.
    enum Step {
        case asks(Request.Work)
        case transacts(Path)
        case leavesForItsEnd
        case comes
        case goesOffline
        case goesOnline
        case leavesItsNode
    }

    private(set) var remaining: Int
    private(set) var isOffline = false
    /// The chance that a step is a transaction, besides one in ten.
    private let transactions: Probability

    init(remaining: Int, transactions: Probability) {
        self.remaining = remaining
        self.transactions = transactions
    }

    /// Its listens: four of the queries, and the pair.
    static func listens(_ random: inout SplitMix64) -> [EventStream] {
        let start = random.index(below: queries.count)
        let drawn = (0..<4).map { queries[(start + $0) % queries.count] }
        return drawn.map { EventStream(path: $0.0, query: $0.1) }
            + [EventStream(path: pair, query: Query())]
    }

    private static let queries: [(Path, Query)] = [
        (board, Query()),
        (board, try? Query().ordered(byChild: "points").limited(toLast: 3)),
        (board, try? Query().orderedByKey().starting(at: .string("k2")).limited(toFirst: 3)),
        (board, try? Query().ordered(byChild: "points").starting(at: .integer(3))),
        (board, try? Query().orderedByValue().limited(toFirst: 2)),
        (board, try? Query().ordered(byChild: "points").starting(at: .integer(3), key: "k2")),
        (board, try? Query().ordered(byChild: "points").ending(at: .integer(5), key: "k3")),
        (data, Query()),
    ].compactMap { path, query in query.map { (path, $0) } }

    mutating func stop() -> ClientCore.Input? {
        defer { isOffline = false }
        remaining = 0
        return isOffline ? .wentOnline : nil
    }

    // MARK: What it does

    /// The next step of the program; nil after the last one. `tag` is a text that no other step
    /// has.
    mutating func next(tag: String, _ random: inout SplitMix64) -> Step? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        if random.happens(transactions) { return drawTransaction(&random) }
        switch random.index(below: 20) {
        case 0:
            isOffline.toggle()
            return isOffline ? .goesOffline : .goesOnline
        case 1, 2: return drawTransaction(&random)
        case 3, 4: return .asks(.merge(ApplicationProgram.pair, pair(.string(tag))))
        case 5: return .leavesForItsEnd
        case 6: return .comes
        case 10: return .leavesItsNode
        case 9:
            let delta = Int64(1 + random.number(below: 100))
            return .asks(.put(ApplicationProgram.sum, .deferred(.increment(.integer(delta)))))
        case 7, 8:
            let key = Key(unchecked: ["a", "b", "c"][random.index(below: 3)])
            return .asks(.put(ApplicationProgram.data.appending(key), drawNumber(&random)))
        default: return .asks(drawOnBoard(&random))
        }
    }

    private func drawTransaction(_ random: inout SplitMix64) -> Step {
        .transacts(
            random.index(below: 2) == 0 ? ApplicationProgram.count : ApplicationProgram.register)
    }

    private func pair(_ value: Value) -> [Write] {
        ["left", "right"].map { Write(path: Path([Key(unchecked: $0)]), value: value) }
    }

    private func drawOnBoard(_ random: inout SplitMix64) -> Request.Work {
        let board = ApplicationProgram.board
        let place = board.appending(Key(unchecked: "k\(random.index(below: 6))"))
        let points = place.appending(Key(unchecked: "points"))
        switch random.index(below: 13) {
        case 0: return .put(place, .null)
        case 1: return .put(place, drawNumber(&random))
        case 2: return .put(points, .deferred(.increment(.integer(2))))
        case 3: return .put(place.appending(.priority), drawNumber(&random))
        case 4: return .put(board, .null)
        // It keeps its position in an order by points.
        case 5, 6: return .put(place.appending(Key(unchecked: "name")), drawNumber(&random))
        // Nodes keep a small object that comes as a whole in one piece.
        case 10, 11, 12:
            var record = Value.null
            record.set(drawNumber(&random), at: Path([Key(unchecked: "points")]))
            record.set(drawNumber(&random), at: Path([Key(unchecked: "name")]))
            return .put(place, record)
        default: return .put(points, drawNumber(&random))
        }
    }

    private func drawNumber(_ random: inout SplitMix64) -> Value {
        .integer(Int64(random.number(below: 8)))
    }
}
