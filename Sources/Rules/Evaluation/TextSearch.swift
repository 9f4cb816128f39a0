// Strings within strings, by their bytes: a string's UTF-8 holds another's exactly where its characters do.

extension String {
    /// The offset of the first byte at which another string stands.
    ///
    /// - Complexity: O(length of both), by the prefixes of the other string that are its suffixes too (Knuth, Morris, Pratt).
    func firstOffset(of other: String) -> Int? {
        TextSearch(other).offsets(in: Array(utf8), limit: 1).first
    }
}

/// A string that is looked for, and how far each of its prefixes repeats its own start.
struct TextSearch {
    let sought: [UInt8]
    private var borders: [Int] = []

    init(_ text: String) {
        sought = Array(text.utf8)
        var border = 0
        for (index, byte) in sought.enumerated() {
            while border > 0, index > 0, byte != sought[border] { border = borders[border - 1] }
            if index > 0, byte == sought[border] { border += 1 }
            borders.append(border)
        }
    }

    /// Returns its offsets in a text, from left to right without overlaps. The empty string has
    /// only the offset 0.
    func offsets(in text: [UInt8], limit: Int = .max) -> [Int] {
        if sought.isEmpty { return [0] }
        var offsets: [Int] = []
        var matched = 0
        for (index, byte) in text.enumerated() {
            while matched > 0, byte != sought[matched] { matched = borders[matched - 1] }
            if byte == sought[matched] { matched += 1 }
            guard matched == sought.count else { continue }
            offsets.append(index + 1 - matched)
            if offsets.count == limit { break }
            matched = 0
        }
        return offsets
    }
}

extension Evaluator {
    /// A text with every occurrence of a string replaced; that of the empty string is the text itself.
    mutating func replace(
        _ sought: String, in text: String, by replacement: String
    ) throws(RuleFailure) -> String {
        let search = TextSearch(sought)
        if search.sought.isEmpty { return text }
        let bytes = Array(text.utf8)
        let offsets = search.offsets(in: bytes)
        let growth = offsets.count * (replacement.utf8.count - search.sought.count)
        if bytes.count + growth > RuleLimits.stringBytes { throw .tooLong }
        try work.pay(bytes.count + max(0, growth))
        var result: [UInt8] = []
        var start = 0
        for offset in offsets {
            result += bytes[start..<offset]
            result += replacement.utf8
            start = offset + search.sought.count
        }
        return String(decoding: result + bytes[start...], as: UTF8.self)
    }
}
