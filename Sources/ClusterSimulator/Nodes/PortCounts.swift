import SyncProtocol

/// What a run knows of the HTTP port of a node: what its `/metrics` have to say.
struct PortCounts {
    /// How many answers it has sent, by their status.
    var answers: [Int: Int] = [:]

    /// Counts the answers among bytes that a port sends, each of which begins what it sends at a time.
    mutating func countAnswer(in bytes: [UInt8]) {
        guard bytes.starts(with: Array("HTTP/1.1 ".utf8)), bytes.count > 12,
            let status = Int(String(decoding: bytes[9..<12], as: UTF8.self)), status != 100
        else { return }
        answers[status, default: 0] += 1
    }
}

/// What a node's `/metrics` say of its port.
struct MetricsReading {
    private(set) var answers: [Int: Int] = [:]
    private(set) var isReadable = true

    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            guard words.count == 2, let number = Double(words[1]) else {
                isReadable = false
                continue
            }
            guard words[0].hasPrefix("hearth_http_requests_total{"),
                let code = words[0].split(separator: "code=\"").last?.prefix(3),
                let status = Int(code)
            else { continue }
            answers[status, default: 0] += Int(number)
        }
    }

    /// What is wrong with the reading, if these were the counts before and after it; nil if it is right.
    func problem(from before: PortCounts, to after: PortCounts) -> String? {
        if !isReadable { return "its metrics cannot be read" }
        for status in Set(answers.keys).union(before.answers.keys).sorted() {
            let count = answers[status] ?? 0
            let range = (before.answers[status] ?? 0)...(after.answers[status] ?? 0)
            if range.contains(count) { continue }
            return
                "it counts \(count) answers with \(status), and has sent \(range.lowerBound) to \(range.upperBound)"
        }
        return nil
    }
}
