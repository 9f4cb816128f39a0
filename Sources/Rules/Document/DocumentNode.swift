/// A part of a document as it was written, and where it stands.
struct DocumentNode: Sendable {
    enum Content: Sendable {
        case null
        case boolean(Bool)
        case number(Double)
        case string(DocumentText)
        case array([DocumentNode])
        case object([DocumentMember])
    }

    /// The byte at which it begins.
    let offset: Int
    let content: Content
}

/// A member of an object; its name begins at the first offset of it.
struct DocumentMember: Sendable {
    let name: DocumentText
    let value: DocumentNode
}

/// A string with its escapes resolved; it remembers where in the document each byte came from.
struct DocumentText: Sendable {
    /// The byte of the document at which the string begins, quote included.
    let start: Int
    private(set) var bytes: [UInt8] = []
    private var offsets: [Int32] = []

    init(at start: Int) { self.start = start }

    /// The string itself.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Appends a byte that came from a place of the document.
    mutating func append(_ byte: UInt8, from offset: Int) {
        bytes.append(byte)
        offsets.append(Int32(truncatingIfNeeded: offset))
    }

    /// Appends a character that an escape stands for.
    mutating func append(_ scalar: Unicode.Scalar, from offset: Int) {
        for byte in UTF8.encode(scalar)! { append(byte, from: offset) }
    }

    /// The place in the document of a byte of the string; its end for what lies behind.
    func offset(of index: Int) -> Int {
        if index < offsets.count { return Int(offsets[index]) }
        return offsets.last.map { Int($0) + 1 } ?? start
    }
}
