internal import ReplicaCore
internal import SyncProtocol

/// The inputs that wait for the replica of a database: those of clients until it serves, those of peers until it is open.
struct WaitingInputs {
    /// The most inputs of clients, and their bytes.
    private static let limit = 10_000
    private static let bytesLimit = 64 << 20
    /// The most frames of peers. They repeat what is lost.
    private static let framesLimit = 16

    private var inputs: [Input] = []
    private var byteCount = 0
    private var frames: [Input] = []
    /// When the oldest input of a client arrived.
    private(set) var sinceMilliseconds: UInt64?

    /// Whether no input of a client waits.
    var isEmpty: Bool { inputs.isEmpty }

    /// Adds an input of a client; returns false if too many wait.
    mutating func append(_ input: Input, at milliseconds: UInt64) -> Bool {
        if inputs.isEmpty {
            // Nothing of the session waits that could be ended.
            if case .closed = input { return true }
            sinceMilliseconds = milliseconds
        }
        byteCount += input.byteCount
        inputs.append(input)
        return inputs.count <= Self.limit && byteCount <= Self.bytesLimit
    }

    /// Adds a frame of a peer.
    mutating func append(frame input: Input) {
        if frames.count < Self.framesLimit { frames.append(input) }
    }

    /// Removes and returns the inputs of clients.
    mutating func removeInputs() -> [Input] {
        defer { (inputs, byteCount, sinceMilliseconds) = ([], 0, nil) }
        return inputs
    }

    /// Removes and returns the frames of peers.
    mutating func removeFrames() -> [Input] {
        defer { frames = [] }
        return frames
    }
}

extension Input {
    /// The session of a client that the input concerns; nil for other inputs.
    var session: SessionID? {
        switch self {
        case .requested(_, let session), .opened(let session), .identified(let session, _),
            .requestedMessages(_, let session), .closed(let session), .backpressured(let session),
            .writable(let session):
            session
        case .turnBegan, .published, .asked, .answered, .stored, .storeReplied, .backedUp,
            .storageFailed, .storageWorks, .turnEnded:
            nil
        }
    }

    /// About how many bytes the input keeps while it waits.
    fileprivate var byteCount: Int {
        switch self {
        case .requested(let frame, _): frame.count
        case .requestedMessages(let messages, _): messages.reduce(64) { $0 + $1.estimatedSize }
        default: 64
        }
    }
}
