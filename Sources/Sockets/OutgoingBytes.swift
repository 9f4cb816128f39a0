internal import CLibrary

/// Bytes that wait to be sent, in the pieces in which they came: small ones are joined, large ones are not copied.
struct OutgoingBytes {
    /// From this size on a piece stays by itself.
    private static let largePiece = 16 << 10
    /// For how many pieces room is kept.
    private static let keptPieces = 4
    /// How many pieces one call of the system gets.
    private static let gathered = 32

    private var pieces: [[UInt8]] = []
    /// The pieces in front that are sent.
    private var sentPieces = 0
    /// The bytes of the first piece that are sent.
    private var sentBytes = 0
    /// How many bytes wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds bytes that `body` appends to a piece, some `sizeHint` of them.
    mutating func append(sizeHint: Int, _ body: (inout [UInt8]) -> Void) {
        if isEmpty || pieces[pieces.count - 1].count + sizeHint > Self.largePiece {
            pieces.append([])
        }
        let before = pieces[pieces.count - 1].count
        body(&pieces[pieces.count - 1])
        count += pieces[pieces.count - 1].count - before
    }

    /// Adds a piece. A piece for many connections is not copied unless other bytes wait.
    mutating func append(_ bytes: [UInt8]) {
        if !isEmpty, bytes.count < Self.largePiece {
            return append(sizeHint: bytes.count) { $0 += bytes }
        }
        pieces.append(bytes)
        count += bytes.count
    }

    /// Removes bytes that were sent.
    mutating func removeFirst(_ sent: Int) {
        count -= sent
        guard count > 0 else { return removeAll() }
        sentBytes += sent
        while sentBytes >= pieces[sentPieces].count {
            sentBytes -= pieces[sentPieces].count
            pieces[sentPieces] = []
            sentPieces += 1
        }
        // Moving the rest to the front each time would cost the square of what waits.
        if sentPieces > 64, sentPieces > pieces.count / 2 {
            pieces.removeFirst(sentPieces)
            sentPieces = 0
        }
    }

    /// Removes bytes from the front, and returns them.
    mutating func removeFirst(upTo limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(limit, count))
        while bytes.count < limit, !isEmpty {
            let piece = pieces[sentPieces][sentBytes...].prefix(limit - bytes.count)
            bytes += piece
            removeFirst(piece.count)
        }
        return bytes
    }

    mutating func removeAll() {
        // Room for a piece is kept: most of what is sent is one.
        if pieces.capacity > Self.keptPieces {
            pieces = []
        } else {
            pieces.removeAll(keepingCapacity: true)
        }
        (sentPieces, sentBytes, count) = (0, 0, 0)
    }

    /// Writes what the system has room for: the number of bytes, or -1 with the reason in `errno`.
    func write(to descriptor: Int32) -> Int {
        if sentPieces == pieces.count - 1 {
            return pieces[sentPieces].withUnsafeBytes { bytes in
                CLibrary.write(
                    descriptor, bytes.baseAddress.map { $0 + sentBytes }, bytes.count - sentBytes)
            }
        }
        return gather(pieces[sentPieces...].prefix(Self.gathered), [], descriptor)
    }

    /// Collects the addresses of the pieces, each within the scope in which it is valid.
    private func gather(
        _ pieces: ArraySlice<[UInt8]>, _ vectors: [iovec], _ descriptor: Int32
    ) -> Int {
        guard let piece = pieces.first else {
            return writev(descriptor, vectors, Int32(vectors.count))
        }
        let skipped = vectors.isEmpty ? sentBytes : 0
        return piece.withUnsafeBytes { bytes in
            let vector = iovec(
                iov_base: bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0 + skipped) },
                iov_len: bytes.count - skipped)
            return gather(pieces.dropFirst(), vectors + [vector], descriptor)
        }
    }
}
