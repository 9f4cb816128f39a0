import SyncProtocol

/// Which node or client each writer of a run is: writers are random numbers, which say nothing to people.
struct WriterNames: Sendable {
    private var names: [WriterID: String] = [:]
    private var incarnations: [Int: Int] = [:]

    /// A node has begun an incarnation: its first is `n2`, the next ones are `n2.2`, `n2.3`, …
    mutating func add(_ writer: WriterID, node: Int) {
        guard names[writer] == nil else { return }
        let count = incarnations[node, default: 0] + 1
        incarnations[node] = count
        names[writer] = count == 1 ? "n\(node + 1)" : "n\(node + 1).\(count)"
    }

    /// A writer that is neither a node nor a client.
    mutating func add(_ writer: WriterID, text: String) { names[writer] = text }

    /// A client stamps as this writer.
    mutating func add(_ writer: WriterID, client: Int) { names[writer] = "c\(client + 1)" }

    /// The text with names in place of writers.
    func applied(to text: String) -> String {
        let byText = Dictionary(
            names.map { ($0.description, $1) }, uniquingKeysWith: { first, _ in first })
        var result: [UInt8] = []
        var word: [UInt8] = []
        func finishWord() {
            // Shorter ones may be words of their own.
            let text = word.count > 6 ? byText[String(decoding: word, as: UTF8.self)] : nil
            result += text.map { Array($0.utf8) } ?? word
            word.removeAll(keepingCapacity: true)
        }
        for byte in text.utf8 {
            if WriterNames.isInWord(byte) {
                word.append(byte)
            } else {
                finishWord()
                result.append(byte)
            }
        }
        finishWord()
        return String(decoding: result, as: UTF8.self)
    }

    private static func isInWord(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
            || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
    }
}

extension CheckResult {
    /// The result with names in place of writers.
    func naming(_ names: WriterNames) -> CheckResult {
        var result = self
        result.details = names.applied(to: details)
        result.witness = witness.map(names.applied)
        return result
    }
}
