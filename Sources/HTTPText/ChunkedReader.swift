/// Reads a body in chunks (RFC 9112, section 7.1); extensions and trailers are checked and dropped.
struct ChunkedReader {
    private enum State {
        /// In the hexadecimal digits of a size, of which some have been read.
        case size(digits: Int)
        case chunkExtension(length: Int)
        case sizeFeed
        case data
        case dataReturn
        case dataFeed
        case trailerStart
        case trailerName
        case trailerValue
        case trailerFeed
        case endFeed
        case done
    }

    private var state = State.size(digits: 0)
    /// The size of the chunk, or what is left of its data.
    private var remaining = 0
    private var trailerBytes = 0
    /// The data that has been read, and announced by the chunk that is being read.
    private(set) var total = 0

    /// Reads bytes up to the end of the body, and appends the data in them.
    ///
    /// - Parameters:
    ///   - buffer: The bytes.
    ///   - place: The first byte to read; afterwards the first one that is not read.
    ///   - bodyLimit: The most data that all chunks may have.
    /// - Returns: Whether the body has ended.
    mutating func read(
        _ buffer: [UInt8], at place: inout Int, into data: inout [UInt8], bodyLimit: Int,
        limits: HTTPLimits
    ) throws(RequestFailure) -> Bool {
        let bytes = buffer.span
        while place < bytes.count {
            if case .data = state {
                copyData(bytes, at: &place, into: &data)
                continue
            }
            state = try next(after: bytes[place], bodyLimit: bodyLimit, limits: limits)
            place += 1
            if case .done = state { return true }
        }
        return false
    }

    private mutating func copyData(
        _ bytes: Span<UInt8>, at place: inout Int, into data: inout [UInt8]
    ) {
        let count = min(remaining, bytes.count - place)
        bytes.extracting(place..<place + count).withUnsafeBufferPointer {
            data.append(contentsOf: $0)
        }
        place += count
        remaining -= count
        if remaining == 0 { state = .dataReturn }
    }

    private mutating func next(
        after byte: UInt8, bodyLimit: Int, limits: HTTPLimits
    ) throws(RequestFailure) -> State {
        switch state {
        case .size(let digits): return try size(digits, byte, bodyLimit: bodyLimit)
        case .chunkExtension(let length): return try extended(length, byte, limits: limits)
        case .sizeFeed:
            guard byte == .lineFeed else { throw .badChunk }
            return remaining == 0 ? .trailerStart : .data
        case .dataReturn:
            guard byte == .carriageReturn else { throw .badChunk }
            return .dataFeed
        case .dataFeed:
            guard byte == .lineFeed else { throw .badChunk }
            return .size(digits: 0)
        case .trailerStart, .trailerName, .trailerValue, .trailerFeed, .endFeed:
            return try trailer(byte, limits: limits)
        case .data, .done: preconditionFailure("a chunk's line is read in state \(state)")
        }
    }

    private mutating func size(
        _ digits: Int, _ byte: UInt8, bodyLimit: Int
    ) throws(RequestFailure) -> State {
        if let value = byte.hexadecimalValue {
            guard digits < 8 else { throw .badChunk }
            remaining = remaining << 4 | Int(value)
            return .size(digits: digits + 1)
        }
        guard digits > 0 else { throw .badChunk }
        guard remaining <= bodyLimit - total else { throw .bodyTooLarge }
        total += remaining
        switch byte {
        case .carriageReturn: return .sizeFeed
        case UInt8(ascii: ";"): return .chunkExtension(length: 1)
        default: throw .badChunk
        }
    }

    private func extended(
        _ length: Int, _ byte: UInt8, limits: HTTPLimits
    ) throws(RequestFailure) -> State {
        if byte == .carriageReturn { return .sizeFeed }
        guard byte.isFieldCharacter, length < limits.chunkExtensionBytes else { throw .badChunk }
        return .chunkExtension(length: length + 1)
    }

    private mutating func trailer(
        _ byte: UInt8, limits: HTTPLimits
    ) throws(RequestFailure) -> State {
        trailerBytes += 1
        switch state {
        case .trailerStart where byte == .carriageReturn: return .endFeed
        case .endFeed where byte == .lineFeed: return .done
        case .trailerFeed where byte == .lineFeed: return .trailerStart
        case _ where trailerBytes > limits.trailerBytes: throw .badTrailer
        case .trailerStart where byte.isTokenCharacter: return .trailerName
        case .trailerName where byte.isTokenCharacter: return .trailerName
        case .trailerName where byte == UInt8(ascii: ":"): return .trailerValue
        case .trailerValue where byte.isFieldCharacter: return .trailerValue
        case .trailerValue where byte == .carriageReturn: return .trailerFeed
        default: throw .badTrailer
        }
    }
}
