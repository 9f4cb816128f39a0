/// Turns the bytes of a connection into requests, as strictly as a server can that clients still reach.
///
/// It does no input or output. The driver gives it what it read with `receive`, and calls `next` until that returns nil:
///
/// ```swift
/// reader.receive(bytes)
/// while let event = reader.next() {
///     switch event {
///     case .head(let head): begin(head)
///     case .body(let piece): body += piece
///     case .end: answer()  // and then reader.answered()
///     case .failure(let failure): refuse(failure)  // and then close
///     }
/// }
/// ```
///
/// However the bytes are split, the events are the same, but for the places where the body is split. Bytes of later requests
/// are kept until `answered()` says that the request has its answer; while there are many, `wantsBytes` is false.
///
/// Source: RFC 9110 and RFC 9112; stricter, where these allow a server to refuse.
public struct RequestReader: Sendable {
    private enum State {
        case head
        case body(BodyReader)
        /// The body is complete, which is not yet reported.
        case ending
        /// The request is complete, and its answer is not.
        case answering
        /// Nothing follows, once the failure is reported.
        case failing(RequestFailure)
        case closed
    }

    private let limits: HTTPLimits
    private var state = State.head
    private var parser = HeadParser()
    private var buffer: [UInt8] = []
    /// The offset of the unread bytes in the buffer.
    private var start = 0
    private var bodyLimit: Int
    private var keepsConnectionOpen = true
    private var isOverrun = false

    /// Makes a reader for a new connection.
    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        bodyLimit = limits.bodyBytes
    }

    /// Whether the driver ought to read on: not while many bytes of later requests are waiting, and not
    /// after the last answer.
    ///
    /// The driver may still give all that one reading brings, up to half of `HTTPLimits.pipelinedBytes`.
    public var wantsBytes: Bool {
        switch state {
        case .head, .body, .ending: true
        // Bytes after the last request are dropped, but their end says that the client has left.
        case .answering: !keepsConnectionOpen || waitingBytes < limits.pipelinedBytes / 2
        case .failing, .closed: false
        }
    }

    /// The phase of the connection, which determines its deadline.
    public var phase: ConnectionPhase {
        switch state {
        case .head: waitingBytes == 0 ? .idle : .head
        case .body(let body): .body(bytes: body.announcedBytes)
        case .ending, .answering: .answer
        case .failing, .closed: .close
        }
    }

    /// Appends bytes that have arrived.
    public mutating func receive(_ bytes: [UInt8]) {
        guard isReceiving(bytes.count) else { return }
        if waitingBytes == 0 {
            (buffer, start) = (bytes, 0)
        } else {
            dropReadBytes()
            buffer += bytes
        }
    }

    /// Appends bytes that have arrived.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        guard isReceiving(bytes.count) else { return }
        dropReadBytes()
        buffer.append(contentsOf: bytes)
    }

    /// Returns what comes next, or nil if that takes more bytes, or the answer to the request before.
    public mutating func next() -> RequestEvent? {
        switch state {
        case .head: return nextHead()
        case .body(let body): return nextPiece(body)
        case .ending:
            state = .answering
            return .end
        case .answering, .closed: return nil
        case .failing(let failure):
            state = .closed
            buffer = []
            start = 0
            return .failure(failure)
        }
    }

    /// Sets the largest body of the request whose head came last; the caller must do so before it takes the next event.
    ///
    /// A longer body is a failure: at once if its length is known, and otherwise when it is reached.
    public mutating func limitBody(to bytes: Int) {
        precondition(bytes >= 0, "\(bytes) bytes are no limit")
        bodyLimit = bytes
    }

    /// Reads the next request, as the one before has its whole answer.
    public mutating func answered() {
        guard case .answering = state else { preconditionFailure("no request waits: \(state)") }
        parser = HeadParser()
        bodyLimit = limits.bodyBytes
        if !keepsConnectionOpen {
            state = .closed
        } else if isOverrun {
            state = .failing(.tooManyPipelinedBytes)
        } else {
            state = .head
        }
    }

    /// Ends HTTP on this connection, as it goes on with another protocol.
    ///
    /// - Returns: The bytes that came after the request.
    public mutating func upgrade() -> [UInt8] {
        guard case .answering = state else { preconditionFailure("no request waits: \(state)") }
        defer { (buffer, start, state) = ([], 0, .closed) }
        return Array(buffer[start...])
    }
}

// MARK: - Steps

extension RequestReader {
    /// The bytes in memory, those included that have been read.
    var keptBytes: Int { buffer.count }

    /// The bytes that have not been read.
    var waitingBytes: Int { buffer.count - start }

    /// Whether more bytes have a meaning; beyond the limit, the connection ends after the answer that is due.
    private mutating func isReceiving(_ count: Int) -> Bool {
        switch state {
        case .head, .body, .ending: return true
        case .answering:
            guard keepsConnectionOpen, !isOverrun else { return false }
            isOverrun = waitingBytes + count > limits.pipelinedBytes
            return !isOverrun
        case .failing, .closed: return false
        }
    }

    private mutating func dropReadBytes() {
        guard start > 0 else { return }
        buffer.removeSubrange(..<start)
        start = 0
    }

    private mutating func nextHead() -> RequestEvent? {
        guard waitingBytes > 0 else { return nil }
        do throws(RequestFailure) {
            guard let length = try parser.parse(buffer, from: start, limits: limits) else {
                return nil
            }
            let head = try parser.head(of: removeFirst(length))
            keepsConnectionOpen = head.keepsConnectionOpen
            state = head.body == .length(0) ? .ending : .body(BodyReader(head.body))
            return .head(head)
        } catch {
            return fail(error)
        }
    }

    private mutating func nextPiece(_ reader: BodyReader) -> RequestEvent? {
        var reader = reader
        var piece: [UInt8] = []
        do throws(RequestFailure) {
            let isComplete = try read(&reader, into: &piece)
            state = isComplete ? .ending : .body(reader)
            if !isComplete, piece.isEmpty { return nil }
        } catch {
            // Events before the failure are reported first, as for bytes that arrive one by one.
            state = .failing(error)
        }
        return piece.isEmpty ? next() : .body(piece)
    }

    /// Reads on in the body; true at its end.
    private mutating func read(
        _ reader: inout BodyReader, into piece: inout [UInt8]
    ) throws(RequestFailure) -> Bool {
        switch reader {
        case .length(let length, var remaining):
            guard length <= bodyLimit else { throw .bodyTooLarge }
            piece = removeFirst(min(remaining, waitingBytes))
            remaining -= piece.count
            reader = .length(length, remaining: remaining)
            return remaining == 0
        case .chunked(var chunks):
            defer {
                reader = .chunked(chunks)
                dropBufferIfRead()
            }
            return try chunks.read(
                buffer, at: &start, into: &piece, bodyLimit: bodyLimit, limits: limits)
        }
    }

    private mutating func fail(_ failure: RequestFailure) -> RequestEvent? {
        state = .failing(failure)
        return next()
    }

    /// Takes bytes off the front; the whole buffer is handed over without a copy.
    private mutating func removeFirst(_ count: Int) -> [UInt8] {
        if start == 0, count == buffer.count {
            defer { buffer = [] }
            return buffer
        }
        defer {
            start += count
            dropBufferIfRead()
        }
        return Array(buffer[start..<start + count])
    }

    /// A connection that waits keeps no memory.
    private mutating func dropBufferIfRead() {
        if waitingBytes == 0 { (buffer, start) = ([], 0) }
    }
}
