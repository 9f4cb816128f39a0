public import DataTree

/// The version of this protocol: the first byte of every frame.
///
/// A node refuses a frame of another version as a whole, naming both.
public let protocolVersion: UInt8 = 1

/// A message in a frame: a MessagePack array that begins with the name of its kind.
public protocol FrameMessage: Equatable, Sendable {
    /// Appends the message as one MessagePack array.
    func encode(into writer: inout MessagePackWriter)

    /// Takes one message; after a thrown error the reader is somewhere within it.
    static func decode(from reader: inout MessagePackReader) throws(FrameError) -> Self

    /// Appends what ends a frame of such messages: for most, nothing.
    static func seal(_ frame: inout [UInt8])

    /// A frame without what `seal` appended.
    ///
    /// - Throws: `FrameError` if that is not what it should be.
    static func unseal(
        _ frame: UnsafeRawBufferPointer
    ) throws(FrameError) -> UnsafeRawBufferPointer
}

extension FrameMessage {
    /// Appends the checksum.
    public static func seal(_ frame: inout [UInt8]) {}

    /// The bytes without the checksum.
    @inlinable
    public static func unseal(
        _ frame: UnsafeRawBufferPointer
    ) throws(FrameError) -> UnsafeRawBufferPointer { frame }
}

// MARK: - Writing

/// A frame in the making: the version byte, and messages back to back.
public struct FrameWriter: Sendable {
    package internal(set) var messages: MessagePackWriter
    /// The large values, which `messages` does not have.
    var insertions: [LargeFrame.Insertion] = []

    /// A frame without messages, which must not be sent as it is.
    public init() {
        messages = MessagePackWriter(
            beginningWith: protocolVersion, room: FrameWriter.usualBytes)
    }

    /// Most frames have no more bytes than this, and so need memory once.
    private static let usualBytes = 96

    /// The frame as it travels; one with large values is a `largeFrame`.
    public var bytes: [UInt8] {
        precondition(insertions.isEmpty, "the frame has \(insertions.count) large values")
        return messages.bytes
    }

    /// The size of the frame; a large value counts as a megabyte, because it takes no memory of its own.
    public var byteCount: Int { messages.bytes.count + insertions.count << 20 }

    package var isEmpty: Bool { messages.bytes.count == 1 }

    package mutating func append(_ message: some FrameMessage) {
        message.encode(into: &messages)
    }

    /// Begins a new frame in the memory of the old one.
    public mutating func removeAll() {
        messages.removeAll()
        messages.append(byte: protocolVersion)
        insertions.removeAll()
    }
}

extension FrameMessage {
    /// A frame of this message alone.
    public var frame: [UInt8] {
        var frame = FrameWriter()
        frame.append(self)
        var bytes = frame.bytes
        Self.seal(&bytes)
        return bytes
    }
}

// MARK: - Reading

/// One message of a frame, or why it cannot be read.
public enum Received<Message: FrameMessage>: Equatable, Sendable {
    case message(Message)
    /// The id is the number after the message's name, if that much can be read: it lets a node
    /// answer `error` to the request that it refuses.
    case refused(id: UInt64?, FrameError)
}

/// The messages of a frame, in order. An invalid message does not affect the following ones.
///
/// A refusal without an id, or of bytes that are not MessagePack, is the last of its frame, because the end of the
/// message is unknown. The bytes must outlive the reader.
public struct FrameReader<Message: FrameMessage> {
    @usableFromInline var reader: MessagePackReader
    @usableFromInline var isBroken = false

    /// Checks the version.
    ///
    /// - Parameter start: The byte at which the next message begins; nil for the first one.
    /// - Throws: `FrameError` for another version (its code is `version`), for no message at all, or
    ///   for a frame of a node that is damaged.
    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer, from start: Int? = nil) throws(FrameError) {
        reader = try MessagePackReader(frame: try Message.unseal(bytes))
        if let start { reader.rewind(to: start) }
    }

    /// The byte at which the next message begins; nil if there is none.
    public var nextStart: Int? { isBroken || reader.isAtEnd ? nil : reader.position }

    // Inlinable, so that a module which knows the kind of message gets code for that kind.
    /// Hands each message to `take`, in order, and each one that is wrong to `refused`.
    ///
    /// For hot paths: `messages` wraps each one, and the wrapper costs more than most messages.
    @inlinable
    public mutating func forEach(
        _ take: (Message) -> Void, refused: (_ id: UInt64?, FrameError) -> Void
    ) {
        readWhile {
            take($0)
            return true
        } refused: {
            refused($0, $1)
            return true
        }
    }

    /// Hands each message to `take`, in order, and each one that is wrong to `refused`, until one of them returns false.
    @inlinable
    public mutating func readWhile(
        _ take: (Message) -> Bool, refused: (_ id: UInt64?, FrameError) -> Bool
    ) {
        while !isBroken, !reader.isAtEnd {
            let start = reader.position
            do throws(FrameError) {
                if !take(try Message.decode(from: &reader)) { return }
            } catch {
                if !refused(passRefused(from: start), error) { return }
            }
        }
    }

    /// Goes to the end of a message that is wrong, if it has one, and returns its number.
    @usableFromInline
    mutating func passRefused(from start: Int) -> UInt64? {
        let id = reader.messageID(from: start)
        isBroken = id == nil || !reader.canSkip(from: start)
        return id
    }

    /// The messages of a frame held in an array.
    @inlinable
    public static func messages(in frame: [UInt8]) throws(FrameError) -> [Received<Message>] {
        try frame.span.bytes.withUnsafeBytes { bytes throws(FrameError) in
            var reader = try FrameReader(bytes)
            var received: [Received<Message>] = []
            reader.forEach { message in
                received.append(.message(message))
            } refused: { id, error in
                received.append(.refused(id: id, error))
            }
            return received
        }
    }
}

extension MessagePackReader {
    /// A reader of what follows the version byte.
    @usableFromInline
    init(frame: UnsafeRawBufferPointer) throws(FrameError) {
        guard let version = frame.first else {
            throw FrameError(
                offset: 0, problem: "the frame is empty",
                fix: "send the byte \(protocolVersion), then one or more messages")
        }
        guard version == protocolVersion else {
            throw FrameError(
                code: .version, offset: 0,
                problem: "the frame begins with \(version), but this protocol has version "
                    + "\(protocolVersion)",
                fix: "send the byte \(protocolVersion) first, or use a program of that version")
        }
        guard frame.count > 1 else {
            throw FrameError(
                offset: 1, problem: "the frame holds no message",
                fix: "send one or more messages after the byte \(protocolVersion)")
        }
        self.init(frame)
        skipByte()
    }

    /// The number after the name of the message that begins at `start`, if there is one.
    @usableFromInline
    mutating func messageID(from start: Int) -> UInt64? {
        rewind(to: start)
        do throws(FrameError) {
            guard try arrayHead("a message") >= 2 else { return nil }
            try skip()
            return try unsigned("an id")
        } catch {
            return nil
        }
    }

    /// Goes to the end of the message that begins at `start`; false if it has none.
    @usableFromInline
    mutating func canSkip(from start: Int) -> Bool {
        rewind(to: start)
        do throws(FrameError) {
            try skip()
            return true
        } catch {
            return false
        }
    }
}

// MARK: - Heads of messages

/// The name of a message and the number of its elements, as they stand in its array. The frame must outlive it.
struct MessageHead {
    let name: MessageName
    let count: Int
    let offset: Int

    /// Checks the number of elements, the name included.
    func require(_ expected: Int, optional: Int = 0) throws(FrameError) {
        guard expected...expected + optional ~= count else {
            throw FrameError(
                offset: offset,
                problem: "\"\(name)\" at byte \(offset) has \(count) elements, "
                    + "and needs \(expected)" + (optional > 0 ? " or \(expected + optional)" : ""),
                fix: "send what the protocol's README shows for \"\(name)\"")
        }
    }

    func unknown(names: String) -> FrameError {
        FrameError(
            offset: offset,
            problem: "unknown message \"\(name.description.prefix(40))\" at byte \(offset)",
            fix: "use one of \(names)")
    }
}

/// The name of a message at its position in the frame. It is compared byte by byte; only errors make text of it.
struct MessageName: CustomStringConvertible {
    fileprivate let utf8: UnsafeBufferPointer<UInt8>

    var description: String { String(decoding: utf8, as: UTF8.self) }

    static func ~= (name: StaticString, found: MessageName) -> Bool {
        guard name.utf8CodeUnitCount == found.utf8.count else { return false }
        return found.utf8.indices.allSatisfy { found.utf8[$0] == name.utf8Start[$0] }
    }
}

extension MessagePackReader {
    mutating func messageHead() throws(FrameError) -> MessageHead {
        let offset = position
        let count = try arrayHead("a message (an array)")
        guard count > 0 else {
            throw .expected("a message (an array)", found: "an empty array", at: offset)
        }
        let name = MessageName(utf8: try utf8("the message's name"))
        return MessageHead(name: name, count: count, offset: offset)
    }
}

extension MessagePackWriter {
    mutating func appendMessageHead(_ name: StaticString, _ count: Int) {
        appendArrayHead(count)
        append(utf8: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }
}
