/// The connections with bytes to send, in the order in which they are flushed.
///
/// Clients that have just sent something wait for an answer, so they come first. All others are flushed in rounds, some in
/// each turn of the loop. Changes that occur during a round are gathered: a listener gets several of them in one write.
struct FlushQueue {
    /// The queue in which a connection waits to be flushed.
    enum Place {
        case none
        case withAnswers
        case inRound
    }

    /// With more bytes that wait in rounds, a whole round is flushed at once.
    private static let byteLimit = 16 << 20

    /// How many connections of a round are flushed in a turn.
    var connectionsPerTurn = 256
    /// The shortest time from the beginning of a round with more connections to the next round.
    var roundNanoseconds: UInt64 = 10_000_000

    private var answers: [HTTPConnection] = []
    /// The round that is being flushed, and the connections of the next one.
    private var round: ArraySlice<HTTPConnection> = []
    private var next: [HTTPConnection] = []
    private var nextRoundNanoseconds: UInt64 = 0
    /// The bytes that wait in rounds.
    private var byteCount = 0

    /// Adds bytes that were appended to a connection.
    mutating func add(_ bytes: Int, to connection: HTTPConnection, isAnswer: Bool) {
        if isAnswer {
            guard connection.flushPlace != .withAnswers else { return }
            remove(connection)
            connection.flushPlace = .withAnswers
            answers.append(connection)
            return
        }
        if connection.flushPlace == .withAnswers { return }
        connection.gatheredBytes += bytes
        byteCount += bytes
        guard connection.flushPlace == .none else { return }
        connection.flushPlace = .inRound
        next.append(connection)
    }

    /// Removes and returns the connections to flush in this turn.
    mutating func removeDue(at nanoseconds: UInt64) -> [HTTPConnection] {
        var due = answers
        answers = []
        let isFull = byteCount > Self.byteLimit
        if isFull || nanoseconds >= nextRoundNanoseconds { beginRound(at: nanoseconds) }
        let part = round.prefix(isFull ? round.count : connectionsPerTurn)
        round.removeFirst(part.count)
        // A connection that was flushed with an answer in between has left its round.
        due += part.lazy.filter { $0.flushPlace == .inRound }
        for connection in due { remove(connection) }
        return due
    }

    private mutating func beginRound(at nanoseconds: UInt64) {
        guard round.isEmpty, !next.isEmpty else { return }
        (round, next) = (next[...], [])
        let isLarge = round.count > connectionsPerTurn
        nextRoundNanoseconds = isLarge ? nanoseconds + roundNanoseconds : 0
    }

    /// The nanoseconds until further connections are to be flushed; nil if none waits.
    func delay(at nanoseconds: UInt64) -> UInt64? {
        if !round.isEmpty { return 0 }
        if next.isEmpty { return nil }
        return nextRoundNanoseconds > nanoseconds ? nextRoundNanoseconds - nanoseconds : 0
    }

    private mutating func remove(_ connection: HTTPConnection) {
        connection.flushPlace = .none
        byteCount -= connection.gatheredBytes
        connection.gatheredBytes = 0
    }
}
