import DataTree

/// The bytes of answers that native clients have not read: those of turns that are not durable yet, and those that wait
/// at the driver.
///
/// As the room gets scarce, the largest answers are refused first: an answer may have an eighth of the room that is left.
struct UnreadAnswers: Sendable {
    /// A session may have this part of the room that is left.
    private static let share = 8
    /// Answers of this size are always sent.
    private static let smallBytes = 64 << 10

    let limit: Int
    /// The bytes that wait at the driver.
    private var waiting = 0
    /// The bytes of turns whose outputs wait for the disk.
    private var held: [(turn: UInt64, bytes: Int)] = []
    private var turn = 0

    init(limit: Int) { self.limit = limit }

    private var total: Int { waiting + turn + held.reduce(0) { $0 + $1.bytes } }

    /// Begins a turn.
    ///
    /// - Parameters:
    ///   - waiting: The bytes that wait at the driver.
    ///   - isSent: Whether the outputs of a turn have been sent.
    mutating func beginTurn(waiting: Int, where isSent: (_ turn: UInt64) -> Bool) {
        self.waiting = waiting
        if !held.isEmpty { held.removeAll { isSent($0.turn) } }
    }

    /// Counts the bytes of answers that this turn sends.
    mutating func add(_ bytes: Int) { turn += bytes }

    /// Ends a turn, whose outputs are held until it is durable; with no number, they are sent at once.
    mutating func endTurn(_ number: UInt64?) {
        if turn == 0 { return }
        if let number { held.append((number, turn)) }
        turn = 0
    }

    /// The bytes that an answer to a client may have now; nil while there is enough room for all.
    var largestAnswer: Int? {
        let free = max(0, limit - total)
        return free < limit / 4 ? max(free / Self.share, Self.smallBytes) : nil
    }

    /// The bytes that a session may have been sent in this turn before it is sent more.
    var largestSession: Int { max(max(0, limit - total) / Self.share, Self.smallBytes) }

    /// The refusal of an answer that is too large now.
    var refusal: RequestFailure {
        RequestFailure(
            .tooBig,
            "unread answers of this node's clients use most of their \(limit >> 20) MB: "
                + "an answer may have \(largestSession >> 10) kB at present",
            fix:
                "read the pending answers, request less at once, or use another node",
            limit: .unreadAnswers)
    }
}

extension Value {
    /// Whether the texts and numbers in it take more bytes than this.
    ///
    /// - Complexity: O(bytes), however large the value is.
    func isLarger(than bytes: Int) -> Bool {
        var rest = bytes
        return !fits(in: &rest)
    }

    private func fits(in rest: inout Int) -> Bool {
        switch self {
        case .null, .boolean, .deferred: rest -= 1
        case .integer, .double: rest -= 9
        case .string(let text): rest -= 5 + text.utf8.count
        case .prioritized(let value):
            rest -= 24
            return value.content.fits(in: &rest) && value.priority.fits(in: &rest)
        case .object(let children):
            for (key, child) in children {
                rest -= 1 + key.text.utf8.count
                guard rest >= 0, child.fits(in: &rest) else { return false }
            }
        }
        return rest >= 0
    }
}
