internal import CSimdjson
public import DataTree

/// Reads JSON text into values, reusing one parser and its buffers from text to text.
///
/// Text is in Firebase's import form (`firebase-semantics.md`, section 6): `.value`, `.priority` and
/// `.sv` are reserved members, an array becomes children `0`, `1`, …, and null, `{}` and `[]` vanish.
/// Of equal keys the last wins. Whole numbers within 64 bits stay exact, larger ones are read as
/// doubles, as JavaScript does; 1.0 is the integer 1, and -0 is 0. A byte order mark is skipped.
///
/// One reader serves one thread at a time; it keeps up to some 20 MiB of buffers between texts.
public final class JSONReader {
    private let maximumBytes: Int
    private let maximumDepth: Int
    private let parser: OpaquePointer

    /// Makes a reader that refuses texts beyond its limits.
    ///
    /// - Parameters:
    ///   - maximumBytes: The longest text, at most 4 GiB - 1; Firebase's largest write by default.
    ///   - maximumDepth: The most objects and arrays within each other, at most 1000; by default the
    ///     deepest tree, with an increment as its deepest value.
    public init(
        maximumBytes: Int = 256 << 20, maximumDepth: Int = Limits.depth + 2
    ) {
        precondition((0..<1 << 32).contains(maximumBytes), "\(maximumBytes) bytes are no limit")
        precondition((1...1000).contains(maximumDepth), "\(maximumDepth) levels are no limit")
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        guard let parser = hearth_json_parser_create(maximumDepth) else {
            fatalError("out of memory")
        }
        self.parser = parser
    }

    deinit { hearth_json_parser_free(parser) }

    /// Reads a value from UTF-8 bytes.
    ///
    /// - Throws: `JSONError` for text that is not JSON, breaks a limit, or is no import form.
    public func parse(_ text: UnsafeRawBufferPointer) throws(JSONError) -> Value {
        try read(text, capacity: text.count) { tape throws(TapeError) in try tape.value() }
    }

    /// Reads a value from UTF-8 bytes; with 64 bytes of spare capacity nothing is copied.
    ///
    /// - Throws: `JSONError` for text that is not JSON, breaks a limit, or is no import form.
    public func parse(_ text: [UInt8]) throws(JSONError) -> Value {
        try text.span.bytes.withUnsafeBytes { bytes throws(JSONError) in
            try read(bytes, capacity: text.capacity) { tape throws(TapeError) in try tape.value() }
        }
    }

    /// Reads a value from text.
    ///
    /// - Throws: `JSONError` for text that is not JSON, breaks a limit, or is no import form.
    public func parse(_ text: String) throws(JSONError) -> Value {
        var text = text
        let result: Result<Value, JSONError> = text.withUTF8 { utf8 in
            Result { () throws(JSONError) in try parse(UnsafeRawBufferPointer(utf8)) }
        }
        return try result.get()
    }

    /// Reads the object of a multi-path update: its keys are paths, its values replace what is there.
    ///
    /// Members come in the order of the text, null for a removal. Whether one path contains another
    /// is left to the caller.
    ///
    /// - Throws: `JSONError` as for a value, for an invalid path, or for a text that is not an object.
    public func parseUpdate(
        _ text: UnsafeRawBufferPointer
    ) throws(JSONError) -> [(path: Path, value: Value)] {
        try read(text, capacity: text.count) { tape throws(TapeError) in try tape.update() }
    }
}

// MARK: - From text to tape

extension JSONReader {
    func read<Result>(
        _ text: UnsafeRawBufferPointer, capacity: Int,
        _ body: (inout Tape) throws(TapeError) -> Result
    ) throws(JSONError) -> Result {
        let mark = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let utf8 = UnsafeBufferPointer(rebasing: text.bindMemory(to: UInt8.self)[mark...])
        if utf8.count > maximumBytes { throw tooLarge(utf8) }
        defer { hearth_json_parser_trim(parser) }
        var tape = try parseTape(utf8, capacity: capacity - mark)
        do {
            return try body(&tape)
        } catch {
            throw locate(error, of: tape, in: utf8)
        }
    }

    private func parseTape(
        _ utf8: UnsafeBufferPointer<UInt8>, capacity: Int
    ) throws(JSONError) -> Tape {
        if let tape = try parsed(utf8, capacity: capacity) { return tape }
        var scanner = JSONScanner(utf8, maximumDepth: maximumDepth)
        do {
            try scanner.scanDocument()
        } catch {
            throw JSONError(error, in: utf8, path: scanner.path)
        }
        // The text is JSON, so that simdjson can only have stopped at integers beyond 64 bits.
        let rewritten = scanner.textWithLargeIntegersAsDoubles()
        if let tape = try rewritten.withUnsafeBufferPointer({ bytes throws(JSONError) in
            try parsed(bytes, capacity: rewritten.capacity)
        }) {
            return tape
        }
        throw JSONError(
            Failure(offset: 0, problem: "the text is not JSON", fix: "check it with a JSON tool"),
            in: utf8, path: [])
    }

    /// The tape of a text, or nil if simdjson refuses it.
    private func parsed(
        _ utf8: UnsafeBufferPointer<UInt8>, capacity: Int
    ) throws(JSONError) -> Tape? {
        var document = hearth_json_document()
        switch hearth_json_parse(parser, utf8.baseAddress, utf8.count, capacity, &document) {
        case HEARTH_JSON_PARSED: return Tape(words: document.tape, strings: document.strings)
        case HEARTH_JSON_REFUSED: return nil
        default:
            throw JSONError(
                Failure(
                    offset: 0, problem: "no memory to read \(utf8.count) bytes of JSON",
                    fix: "split the text into smaller ones"),
                in: utf8, path: [])
        }
    }

    private func locate(
        _ failure: TapeError, of tape: Tape, in utf8: UnsafeBufferPointer<UInt8>
    ) -> JSONError {
        var scanner = JSONScanner(utf8, maximumDepth: maximumDepth)
        let offset = scanner.offset(ofToken: tape.tokens(before: failure.index))
        let failure = Failure(
            offset: offset, problem: failure.error.problem, fix: failure.error.fix)
        return JSONError(failure, in: utf8, path: scanner.path)
    }

    private func tooLarge(_ utf8: UnsafeBufferPointer<UInt8>) -> JSONError {
        let failure = Failure(
            offset: 0,
            problem: "the text has \(utf8.count) bytes, and \(maximumBytes) are allowed",
            fix: "split it into smaller ones")
        return JSONError(failure, in: utf8, path: [])
    }
}
