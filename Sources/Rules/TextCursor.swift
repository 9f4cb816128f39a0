/// Counts lines and columns on the way through a text, so that many places in ascending order cost one pass.
struct TextCursor {
    private let text: [UInt8]
    private var offset = 0
    private var line = 1
    private var column = 1

    init(_ text: [UInt8]) { self.text = text }

    /// The fault with the line and column of its byte; a place before the last one starts from the beginning.
    mutating func located(_ error: SourceError) -> RuleError {
        if error.offset < offset { self = TextCursor(text) }
        while offset < min(error.offset, text.count) {
            let byte = text[offset]
            offset += 1
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return RuleError(line: line, column: column, text: error.text)
    }
}
