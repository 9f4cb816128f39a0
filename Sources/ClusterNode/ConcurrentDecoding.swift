internal import Dispatch
internal import SyncProtocol
internal import Threads

/// Decodes what comes one after the other on all processors, some megabytes at a time, and gives it back in
/// its order: decoding is most of a start.
struct ConcurrentDecoding<Encoded: Sendable, Decoded: Sendable> {
    typealias Decoding = Result<Decoded, FrameError>

    private let decode: @Sendable (Encoded) throws(FrameError) -> Decoded
    private var waiting: [Encoded] = []
    private var waitingBytes = 0
    /// So much waits before it is decoded.
    private let limit = 4 << 20

    init(_ decode: @escaping @Sendable (Encoded) throws(FrameError) -> Decoded) {
        self.decode = decode
    }

    /// Adds what comes next; returns what was decoded with it, mostly nothing.
    mutating func add(_ encoded: Encoded, byteCount: Int) -> [Decoding] {
        waiting.append(encoded)
        waitingBytes += byteCount
        return waitingBytes < limit ? [] : finish()
    }

    /// Decodes what waits.
    mutating func finish() -> [Decoding] {
        let (decode, encoded) = (decode, waiting)
        waiting = []
        waitingBytes = 0
        let decoded = Monitor([Decoding?](repeating: nil, count: encoded.count))
        DispatchQueue.concurrentPerform(iterations: encoded.count) { index in
            let result = Decoding { () throws(FrameError) in try decode(encoded[index]) }
            decoded.withLock { $0[index] = result }
        }
        return decoded.withLock { $0.compactMap(\.self) }
    }
}
