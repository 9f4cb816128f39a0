internal import ClusterAdministration
internal import DataTree
internal import SyncProtocol

/// Cuts a value into lists of writes that together make it, each list of a bounded size.
struct ValuePieces {
    /// At least one, in the order in which they are to be written.
    private(set) var pieces: [[Write]] = []
    /// Roughly how many bytes each piece has on the wire.
    private(set) var sizes: [Int] = []
    private var piece: [Write] = []
    private var pieceBytes = 0
    private let limit: Int

    /// - Parameter limit: The bytes of a piece, roughly; a single primitive may be larger.
    init(of value: Value, limit: Int = 256 * 1024) {
        self.limit = limit
        add(value, at: .root)
        if !piece.isEmpty || pieces.isEmpty { endPiece() }
    }

    /// The value that the writes of one piece make at an empty location.
    static func value(of piece: [Write]) -> Value {
        var value = Value.null
        for write in piece { value.set(write.value, at: write.path) }
        return value
    }

    private mutating func add(_ value: Value, at path: Path) {
        let size = value.size
        if size > limit, !value.children.isEmpty {
            for (key, child) in value.children { add(child, at: path.appending(key)) }
            // After the children, because an empty location cannot have a priority.
            if !value.priority.isNull { append(value.priority, at: path.appending(.priority), 16) }
        } else {
            append(value, at: path, size)
        }
    }

    private mutating func append(_ value: Value, at path: Path, _ size: Int) {
        if pieceBytes + size > limit, !piece.isEmpty { endPiece() }
        piece.append(Write(path: path, value: value))
        pieceBytes += size + path.utf8Count
    }

    private mutating func endPiece() {
        pieces.append(piece)
        sizes.append(pieceBytes)
        piece = []
        pieceBytes = 0
    }
}
