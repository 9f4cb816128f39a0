/// Walks a text that simdjson refused, or that breaks a rule of the data, to find the exact place.
///
/// simdjson tells neither place nor cause, and it refuses integers beyond 64 bits; this walk, a
/// plain recursive descent by RFC 8259, is taken only then.
struct JSONScanner {
    let text: UnsafeBufferPointer<UInt8>
    private let maximumDepth: Int
    private var depth = 0
    /// Brackets, keys and primitives seen so far.
    private var tokens = 0
    private var soughtToken = Int.max
    /// Ends of integers that 64 bits cannot hold, ascending.
    var largeIntegerEnds: [Int] = []

    /// The next byte to look at.
    var offset = 0
    /// Keys and positions that lead to the place of a failure.
    private(set) var path: [String] = []

    init(_ text: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
        self.text = text
        self.maximumDepth = maximumDepth
    }

    /// Checks the whole text and stops at its first failure.
    mutating func scanDocument() throws(Failure) {
        skipSpace()
        if offset == text.count {
            throw failure(
                "the text is empty",
                "give a JSON value, for example null, 1, \"text\" or {\"key\": 1}")
        }
        try scanValue()
        skipSpace()
        if offset < text.count {
            throw failure("\(found) follows the end of the value", "give one JSON value only")
        }
    }

    /// The byte where a bracket, key or primitive of a well-formed text starts, by its number.
    mutating func offset(ofToken number: Int) -> Int {
        soughtToken = number
        do { try scanDocument() } catch { return error.offset }
        return 0
    }
}

// MARK: - Structure

extension JSONScanner {
    private mutating func scanValue() throws(Failure) {
        skipSpace()
        try countToken()
        switch current {
        case UInt8(ascii: "{"): try scanObject()
        case UInt8(ascii: "["): try scanArray()
        case UInt8(ascii: "\""): try scanString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try scanNumber()
        default: try scanWord()
        }
    }

    private mutating func scanObject() throws(Failure) {
        try open()
        if current == UInt8(ascii: "}") { return try close() }
        while true {
            let key = try scanKey()
            try expect(UInt8(ascii: ":"), "a colon after the key")
            path.append(key)
            try scanValue()
            path.removeLast()
            skipSpace()
            if current == UInt8(ascii: "}") { return try close() }
            try expect(UInt8(ascii: ","), "a comma or \"}\"")
        }
    }

    private mutating func scanArray() throws(Failure) {
        try open()
        if current == UInt8(ascii: "]") { return try close() }
        var position = 0
        while true {
            path.append(String(position))
            try scanValue()
            path.removeLast()
            position += 1
            skipSpace()
            if current == UInt8(ascii: "]") { return try close() }
            try expect(UInt8(ascii: ","), "a comma or \"]\"")
        }
    }

    private mutating func scanKey() throws(Failure) -> String {
        skipSpace()
        guard current == UInt8(ascii: "\"") else {
            throw failure(
                "expected a key in double quotes, found \(found)", "write members as \"key\": value"
            )
        }
        try countToken()
        let start = offset
        try scanString()
        return String(decoding: text[(start + 1)..<(offset - 1)], as: UTF8.self)
    }

    private mutating func open() throws(Failure) {
        depth += 1
        if depth > maximumDepth {
            throw failure(
                "objects and arrays nest more than \(maximumDepth) levels deep",
                "keep data flat: a tree is at most 32 keys deep")
        }
        offset += 1
        skipSpace()
    }

    private mutating func close() throws(Failure) {
        try countToken()
        depth -= 1
        offset += 1
    }

    private mutating func expect(_ byte: UInt8, _ name: String) throws(Failure) {
        skipSpace()
        guard current == byte else {
            throw failure("expected \(name), found \(found)", "put \(name) here")
        }
        offset += 1
    }

    private mutating func scanWord() throws(Failure) {
        for word in ["true", "false", "null"] where text[offset...].starts(with: word.utf8) {
            let end = offset + word.utf8.count
            if end == text.count || !isWordByte(text[end]) {
                offset = end
                return
            }
        }
        throw failure(
            "expected a value, found \(found)",
            "give an object, an array, a string in double quotes, a number, true, false or null")
    }

    private mutating func countToken() throws(Failure) {
        if tokens == soughtToken { throw failure("", "") }
        tokens += 1
    }
}

// MARK: - Bytes

extension JSONScanner {
    /// The byte at `offset`, or 0 behind the end (no JSON text contains 0 outside of strings).
    var current: UInt8 { offset < text.count ? text[offset] : 0 }

    private mutating func skipSpace() {
        while offset < text.count, [0x20, 0x0A, 0x0D, 0x09].contains(text[offset]) { offset += 1 }
    }

    private func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    /// The text at `offset`, for an error: a word, a character, or the end of the text.
    private var found: String {
        guard offset < text.count else { return "the end of the text" }
        let word = text[offset...].prefix(40).prefix { isWordByte($0) }
        if !word.isEmpty { return "\"\(String(decoding: word, as: UTF8.self))\"" }
        let byte = text[offset]
        guard (0x21...0x7E).contains(byte) else { return "a control character" }
        return byte == UInt8(ascii: "\"") ? "a quote" : "\"\(Character(UnicodeScalar(byte)))\""
    }

    func failure(_ problem: String, _ fix: String) -> Failure {
        Failure(offset: offset, problem: problem, fix: fix)
    }
}
