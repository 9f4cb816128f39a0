internal import DataTree
internal import HTTPText
internal import SyncProtocol

/// Reads the numbers of the records that arrive at a listener of a `FanoutBenchmark`.
struct RecordReader {
    /// The child of a record that has its number.
    static let number = Key(unchecked: "n")
    private static let name = Array(#""n":"#.utf8)

    private let listenProtocol: ListenProtocol
    private var frames = WebSocketReader(isMasked: false, messageLimit: NativeProtocol.answerLimit)
    /// The end of the last bytes of a text, in which a number is not complete.
    private var rest: [UInt8] = []

    init(_ listenProtocol: ListenProtocol) { self.listenProtocol = listenProtocol }

    /// Reads bytes that have arrived, and passes on the number of each record in them.
    mutating func read(_ bytes: UnsafeRawBufferPointer, _ body: (Int) -> Void) {
        if listenProtocol == .native { return readFrames(bytes, body) }
        if rest.isEmpty {
            rest = Self.scan(bytes, body)
        } else {
            let joined = rest + bytes
            rest = joined.withUnsafeBytes { Self.scan($0, body) }
        }
    }

    /// Passes on the numbers in a text; returns the end that may be the beginning of another one.
    private static func scan(
        _ bytes: UnsafeRawBufferPointer, _ body: (Int) -> Void
    ) -> [UInt8] {
        var read = 0
        for colon in bytes.indices where bytes[colon] == UInt8(ascii: ":") {
            let begin = colon + 1 - name.count
            guard begin >= read, bytes[begin...colon].elementsEqual(name) else { continue }
            let digits = bytes[(colon + 1)...].prefix {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
            if digits.endIndex == bytes.count { return Array(bytes[begin...]) }
            if let number = Int(String(decoding: digits, as: UTF8.self)) { body(number) }
            read = digits.endIndex
        }
        return Array(bytes[read...].suffix(name.count - 1))
    }

    private mutating func readFrames(_ bytes: UnsafeRawBufferPointer, _ body: (Int) -> Void) {
        var rest = bytes
        while let event = frames.next(in: &rest) {
            guard case .binary(let frame) = event else { continue }
            for case .message(.change(_, let writes)) in frame.messages(of: NodeMessage.self) {
                for write in writes { Self.read(write, body) }
            }
        }
    }

    private static func read(_ write: Write, _ body: (Int) -> Void) {
        // The first record can be the whole list.
        let records = write.path.isRoot ? write.value.children.map(\.value) : [write.value]
        for record in records {
            if case .integer(let number) = record[number] { body(Int(number)) }
        }
    }
}
