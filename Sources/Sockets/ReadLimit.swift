/// How much the streams of one owner read in a turn, all together, so that a turn ends.
public final class ReadLimit {
    private let bytesPerTurn: Int
    private var bytesThisTurn = 0
    private var paused: [PausedStream] = []

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

    /// Begins to count anew.
    public func endTurn() { bytesThisTurn = 0 }

    /// Whether a stream that has bytes may read them now; if not, it is called again in a later turn.
    func permits(_ stream: Stream) -> Bool {
        if isPaused {
            // Only streams that have something to read cost anything.
            stream.isPaused = true
            paused.append(PausedStream(stream: stream))
            return false
        }
        return bytesThisTurn < bytesPerTurn
    }

    func count(_ bytes: Int) { bytesThisTurn += bytes }
}

private struct PausedStream {
    weak var stream: Stream?
}
