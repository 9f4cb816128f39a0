internal import CZeroMQ

/// Is a received message: one or more frames, in ZeroMQ's own memory.
///
/// It is valid in the closure that gets it; copy the bytes to keep them.
public struct Message: ~Copyable {
    private var frames: UnsafeMutablePointer<zmq_msg_t>
    private var capacity: Int
    /// The number of frames.
    public private(set) var count = 0

    init() {
        capacity = 4
        frames = .allocate(capacity: capacity)
    }

    deinit {
        for index in 0..<count { zmq_msg_close(frames + index) }
        frames.deallocate()
    }

    /// The bytes of a frame, valid as long as the message is.
    public subscript(index: Int) -> UnsafeRawBufferPointer {
        precondition(index < count, "frame \(index) of a message of \(count) frames")
        return UnsafeRawBufferPointer(
            start: zmq_msg_data(frames + index), count: zmq_msg_size(frames + index))
    }

    /// Copies the frames.
    public func copied() -> [[UInt8]] {
        (0..<count).map { Array(self[$0]) }
    }

    /// Empties the message, then fills it with the next one that waits at the socket.
    ///
    /// Returns false when none does.
    mutating func receive(from socket: borrowing Socket) -> Bool {
        removeAll()
        repeat {
            guard appendFrame(from: socket) else {
                precondition(count == 0, "ZeroMQ gave a part of a message only")
                return false
            }
        } while zmq_msg_more(frames + (count - 1)) != 0
        return true
    }

    private mutating func appendFrame(from socket: borrowing Socket) -> Bool {
        if count == capacity { grow() }
        let frame = frames + count
        zmq_msg_init(frame)
        guard socket.receiveFrame(into: frame) else {
            zmq_msg_close(frame)
            return false
        }
        count += 1
        return true
    }

    private mutating func removeAll() {
        for index in 0..<count { zmq_msg_close(frames + index) }
        count = 0
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: capacity * 2)
        for index in 0..<count {
            zmq_msg_init(larger + index)
            zmq_msg_move(larger + index, frames + index)
        }
        frames.deallocate()
        frames = larger
        capacity *= 2
    }
}
