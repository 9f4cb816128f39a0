/// How much the streams of one owner read in a turn, all together, so that a turn ends; and in which order they read.
///
/// Streams that have bytes wait until the owner calls `readQueued`, once in each turn. Those that had nothing to read come
/// first, with a small read each; then those that have more, in turn. Streams that the limit passes over come first among these
/// in the next turn.
public final class ReadLimit {
    /// A stream that has just become readable, or one that has had its read and has more.
    public enum Arrival { case new, rest }

    /// The bytes of one read; less if many streams wait.
    private static let largeRead = 16 << 10
    private static let smallRead = 4 << 10
    private static let manyStreams = 8

    private let bytesPerTurn: Int
    private var bytesThisTurn = 0
    private var paused: [PausedStream] = []
    private var new = StreamQueue()
    private var rest = StreamQueue()

    /// Allows so many bytes a turn, and a reading more.
    public init(bytesPerTurn: Int) { self.bytesPerTurn = bytesPerTurn }

    /// While paused, no stream reads: bytes wait in the system, and then at their senders.
    public var isPaused = false {
        didSet {
            guard oldValue, !isPaused else { return }
            let streams = paused
            paused = []
            for paused in streams { paused.stream?.isPaused = false }
        }
    }

    /// Lets the streams read that have bytes, as long as the turn has room for that.
    ///
    /// One stream of each kind reads in every turn, whatever `permits` returns.
    ///
    /// - Parameter permits: Whether the owner has time for another read; called before each.
    public func readQueued(while permits: (Arrival) -> Bool = { _ in true }) {
        guard bytesThisTurn < bytesPerTurn else { return }
        let count = new.count + rest.count
        let readBytes = count > Self.manyStreams ? Self.smallRead : Self.largeRead
        read(from: \.new, readBytes) { permits(.new) }
        read(from: \.rest, readBytes) { permits(.rest) }
    }

    private func read(
        from queue: ReferenceWritableKeyPath<ReadLimit, StreamQueue>, _ readBytes: Int,
        while permits: () -> Bool
    ) {
        var isFirst = true
        while isFirst || bytesThisTurn < bytesPerTurn && permits(),
            let stream = self[keyPath: queue].removeFirst()
        {
            stream.isQueued = false
            if isPaused { pause(stream) }
            guard stream.wantsToRead else { continue }
            isFirst = false
            guard stream.read(upTo: readBytes) == readBytes, stream.wantsToRead else { continue }
            stream.isQueued = true
            rest.append(stream)
        }
    }

    /// Begins to count anew.
    public func endTurn() { bytesThisTurn = 0 }

    /// Has a stream wait that has bytes to read.
    func enqueue(_ stream: Stream) {
        if isPaused { return pause(stream) }
        if stream.isQueued { return }
        stream.isQueued = true
        new.append(stream)
    }

    private func pause(_ stream: Stream) {
        // Only streams that have something to read cost anything.
        if stream.isPaused { return }
        stream.isPaused = true
        paused.append(PausedStream(stream: stream))
    }

    func count(_ bytes: Int) { bytesThisTurn += bytes }
}

private struct PausedStream {
    weak var stream: Stream?
}

/// Streams in the order in which they are to read.
private struct StreamQueue {
    private var streams: [Stream] = []
    private var start = 0

    var count: Int { streams.count - start }

    mutating func append(_ stream: Stream) { streams.append(stream) }

    mutating func removeFirst() -> Stream? {
        guard start < streams.count else { return nil }
        let stream = streams[start]
        start += 1
        if start == streams.count {
            streams.removeAll(keepingCapacity: true)
            start = 0
        } else if start >= 64, start * 2 > streams.count {
            streams.removeFirst(start)
            start = 0
        }
        return stream
    }
}
