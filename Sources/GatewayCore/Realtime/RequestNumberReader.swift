/// Finds the number of a request in a message that cannot be read as a whole: its content is invalid, or it is cut
/// off.
///
/// An answer with this number makes the client give up this request alone. If the connection ended instead, the
/// client would send the request again on each new one, and nothing behind it.
///
/// The reader skips values: it looks only at the ends of strings and the depth of objects. The part behind the
/// number need not be JSON.
struct RequestNumberReader {
    private let text: ArraySlice<UInt8>
    private var offset: Int
    private var depth = 0
    /// The last string, without its quotes: in front of a colon, the name of a member.
    private var lastString = 0..<0
    /// Whether the present place is in the member `d` of the message.
    private var isInData = false
    private var number: Int64?

    private init(_ text: ArraySlice<UInt8>) {
        (self.text, offset) = (text, text.startIndex)
    }

    /// The number of the request, or nil if the text does not show it.
    ///
    /// - Complexity: O(bytes).
    static func number(in text: [UInt8]) -> Int64? {
        var reader = RequestNumberReader(text[...])
        reader.read()
        return reader.number
    }

    private mutating func read() {
        while offset < text.endIndex {
            let byte = text[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): readString()
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 1 { isInData = false }
            case UInt8(ascii: ":"): beginMember()
            default: break
            }
        }
    }

    private mutating func readString() {
        let start = offset
        while offset < text.endIndex, text[offset] != UInt8(ascii: "\"") {
            offset += text[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        offset = min(offset, text.endIndex)
        lastString = start..<offset
        offset = min(offset + 1, text.endIndex)
    }

    private mutating func beginMember() {
        let name = text[lastString]
        if depth == 1 {
            isInData = name.elementsEqual("d".utf8)
        } else if depth == 2, isInData, name.elementsEqual("r".utf8) {
            readNumber()
        }
    }

    /// Reads an integer; one that the end of the text may have cut off is none.
    private mutating func readNumber() {
        while offset < text.endIndex, text[offset] == 0x20 { offset += 1 }
        let digits = text[offset...].prefix { isPartOfNumber($0) }
        guard digits.endIndex < text.endIndex else { return }
        number = Int64(String(decoding: digits, as: UTF8.self)) ?? number
        offset = digits.endIndex
    }

    private func isPartOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"):
            true
        default: false
        }
    }
}
