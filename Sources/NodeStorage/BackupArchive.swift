/// The form of a backup: a tar archive (POSIX ustar) with the manifest as its first entry, and then one SQLite file for each
/// database. An archive without its end is not complete.
public enum BackupArchive {
    /// The name of the first entry, which is a `BackupManifest` as JSON.
    public static let manifestName = "manifest.json"

    static let blockBytes = 512

    /// The name of the entry of a database.
    public static func entryName(of database: String) -> String { "\(database).sqlite" }

    /// The head of an entry. Its content follows, then its padding.
    ///
    /// - Parameter seconds: The time of the content, in seconds since 1970.
    public static func head(of name: String, byteCount: Int, seconds: UInt64) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: blockBytes)
        func write(_ text: String, at offset: Int) {
            precondition(text.utf8.count <= 100, "\(text) does not fit into the head of an entry")
            for (index, byte) in text.utf8.enumerated() { block[offset + index] = byte }
        }
        write(name, at: 0)
        for (text, offset) in [("0000600", 100), ("0000000", 108), ("0000000", 116)] {
            write(text, at: offset)
        }
        if byteCount < 1 << 33 {
            write(octal(UInt64(byteCount), digits: 11), at: 124)
        } else {
            // The form of GNU tar for large files: a big-endian number with the highest bit set.
            block[124] = 0x80
            for index in 0..<8 {
                block[135 - index] = UInt8(truncatingIfNeeded: byteCount >> (8 * index))
            }
        }
        write(octal(seconds, digits: 11), at: 136)
        write("0", at: 156)
        write("ustar", at: 257)
        write("00", at: 263)
        write(octal(UInt64(checksum(of: block)), digits: 6), at: 148)
        block[155] = UInt8(ascii: " ")
        return block
    }

    /// The bytes between the content of an entry and the next head.
    public static func padding(after byteCount: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: (blockBytes - byteCount % blockBytes) % blockBytes)
    }

    /// The beginning of an archive: the entry of the manifest.
    public static func firstEntry(_ manifest: [UInt8], seconds: UInt64) -> [UInt8] {
        head(of: manifestName, byteCount: manifest.count, seconds: seconds) + manifest
            + padding(after: manifest.count)
    }

    /// The end of an archive.
    public static let end = [UInt8](repeating: 0, count: 2 * blockBytes)

    /// The sum of all bytes of a head, whose own field counts as spaces.
    static func checksum(of block: some Collection<UInt8>) -> Int {
        block.enumerated().reduce(0) {
            $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element))
        }
    }

    private static func octal(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

/// Reads an archive as its bytes arrive, in any split.
public struct BackupArchiveReader: Sendable {
    /// A part of an archive.
    public enum Part: Equatable, Sendable {
        case entry(name: String, byteCount: Int)
        /// The next bytes of the content of the entry.
        case content(ArraySlice<UInt8>)
        /// The content of the entry is complete.
        case entryEnd
        /// The archive is complete, and nothing may follow.
        case end
    }

    /// The bytes are no archive that Hearth wrote.
    public struct Malformed: Error, Equatable {
        /// The problem.
        public let problem: String
    }

    private enum State: Equatable {
        case head
        case content(left: Int, padding: Int)
        case padding(left: Int)
        case ended
    }

    private var state = State.head
    private var head: [UInt8] = []

    /// A reader at the beginning of an archive.
    public init() {}

    /// Whether the archive is complete.
    public var hasEnded: Bool { state == .ended }

    /// Reads bytes, and calls `body` with the parts in them, in order.
    public mutating func read<Failure>(
        _ bytes: [UInt8], _ body: (Result<Part, Malformed>) throws(Failure) -> Void
    ) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch state {
            case .head:
                let part = rest.prefix(BackupArchive.blockBytes - head.count)
                head += part
                rest = rest.dropFirst(part.count)
                guard head.count == BackupArchive.blockBytes else { return }
                let block = head
                head = []
                switch readHead(block) {
                case .failure(let malformed):
                    state = .ended
                    return try body(.failure(malformed))
                case .success(let parts):
                    for part in parts { try body(.success(part)) }
                }
            case .content(let left, let padding):
                let part = rest.prefix(left)
                rest = rest.dropFirst(part.count)
                let isLast = part.count == left
                state =
                    isLast
                    ? .padding(left: padding) : .content(left: left - part.count, padding: padding)
                if padding == 0, isLast { state = .head }
                try body(.success(.content(part)))
                if isLast { try body(.success(.entryEnd)) }
            case .padding(let left):
                let part = rest.prefix(left)
                rest = rest.dropFirst(part.count)
                state = part.count == left ? .head : .padding(left: left - part.count)
            case .ended: return
            }
        }
    }

    private mutating func readHead(_ block: [UInt8]) -> Result<[Part], Malformed> {
        if block.allSatisfy({ $0 == 0 }) {
            state = .ended
            return .success([.end])
        }
        guard block[257..<262].elementsEqual("ustar".utf8),
            Self.octal(block[148..<154]) == UInt64(BackupArchive.checksum(of: block)),
            [0, UInt8(ascii: "0")].contains(block[156]), let byteCount = Self.size(block[124..<136])
        else { return .failure(Malformed(problem: "it has a damaged head of an entry")) }
        let name = String(decoding: block[..<100].prefix { $0 != 0 }, as: UTF8.self)
        let padding = BackupArchive.padding(after: byteCount).count
        state = byteCount == 0 ? .head : .content(left: byteCount, padding: padding)
        let entry = Part.entry(name: name, byteCount: byteCount)
        return .success(byteCount == 0 ? [entry, .entryEnd] : [entry])
    }

    private static func size(_ field: ArraySlice<UInt8>) -> Int? {
        guard field.first == 0x80 else {
            return octal(field.prefix(11)).flatMap { Int(exactly: $0) }
        }
        let number = field.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: number)
    }

    private static func octal(_ field: ArraySlice<UInt8>) -> UInt64? {
        UInt64(String(decoding: field.filter { $0 != 0 && $0 != 32 }, as: UTF8.self), radix: 8)
    }
}
