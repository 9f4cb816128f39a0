import SyncProtocol

/// The counts of a node's HTTP port in a run, which its `/metrics` must report.
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

/// The values of a node's `/metrics` for its port.
struct MetricsReading {
    private(set) var answers: [Int: Int] = [:]
    private(set) var isReadable = true
    /// The family that was declared last.
    private var family = ""
    /// Those that were declared, of which there is no sample so far.
    private(set) var withoutSamples: [String] = []
    /// The buckets of the last histogram so far: their counts ascend, and the last one is the count of all.
    private var buckets: [Double] = []
    private(set) var wrongHistograms: [String] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") {
                declare(line)
                continue
            }
            let words = line.split(separator: " ")
            guard words.count == 2, let number = Double(words[1]) else {
                isReadable = false
                continue
            }
            count(words[0].prefix { $0 != "{" }, number)
            guard words[0].hasPrefix("hearth_http_requests_total{"),
                let code = words[0].split(separator: "code=\"").last?.prefix(3),
                let status = Int(code)
            else { continue }
            answers[status, default: 0] += Int(number)
        }
    }

    private mutating func declare(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count > 3, words[1] == "TYPE" else { return }
        family = String(words[2])
        withoutSamples.append(family)
        buckets = []
    }

    /// A sample stands behind the declaration of its family.
    private mutating func count(_ name: Substring, _ number: Double) {
        if !name.hasPrefix(family) { isReadable = false }
        withoutSamples.removeAll { $0 == family }
        if name == family + "_bucket" {
            if number < buckets.last ?? 0 { wrongHistograms.append(family) }
            buckets.append(number)
        }
        if name == family + "_count", number != buckets.last { wrongHistograms.append(family) }
    }

    /// Families that may have no samples: those of peers, origins, requests, and limits.
    private static let mayBeEmpty: Set<String> = [
        "hearth_peer_heard_age_seconds", "hearth_peer_connected",
        "hearth_tree_compared_age_seconds", "hearth_operations_total",
        "hearth_http_requests_total", "hearth_limited_total",
    ]

    /// The problem of the reading, given the counts before and after it; nil if it is right.
    func problem(from before: PortCounts, to after: PortCounts) -> String? {
        if !isReadable { return "its metrics cannot be read" }
        if let family = withoutSamples.first(where: { !MetricsReading.mayBeEmpty.contains($0) }) {
            return "it declares \(family), of which it says nothing"
        }
        if let family = wrongHistograms.first { return "the buckets of \(family) do not add up" }
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
