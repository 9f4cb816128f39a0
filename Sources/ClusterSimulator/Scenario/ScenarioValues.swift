import DataTree
import JSONText
import ReplicaCore
import SyncProtocol

// The values in a scenario file: times, chances, counts, names of nodes and clients, data.

extension ScenarioWord {
    /// `250us`, `20ms`, `1.5s`, `2min`.
    func time() throws(ScenarioError) -> Microseconds {
        let units: [(String, UInt64)] = [
            ("us", 1), ("ms", 1_000), ("min", 60_000_000), ("s", 1_000_000), ("h", 3_600_000_000),
        ]
        for (unit, factor) in units where text.hasSuffix(unit) {
            let number = text.dropLast(unit.utf8.count)
            if let millionths = ScenarioWord.millionths(of: number) {
                let (high, low) = millionths.multipliedFullWidth(by: factor)
                return UInt64(1_000_000).dividingFullWidth((high, low)).quotient
            }
        }
        throw .expected("a time such as 20ms or 1.5s", found: self)
    }

    /// `1ms..20ms`, or a single time.
    func times() throws(ScenarioError) -> TimeRange {
        guard let (low, high) = ends() else {
            let time = try time()
            return TimeRange(time, time)
        }
        let range = TimeRange(try low.time(), try high.time())
        guard range.shortest <= range.longest else {
            throw .expected("the shorter time first", found: self)
        }
        return range
    }

    /// `1%`, `0.05%`.
    func probability() throws(ScenarioError) -> Probability {
        guard text.hasSuffix("%"), let millionths = ScenarioWord.millionths(of: text.dropLast()),
            millionths <= 100_000_000
        else { throw .expected("a chance such as 1% or 0.05%", found: self) }
        return Probability(millionths: millionths / 100)
    }

    func count(in range: ClosedRange<Int>) throws(ScenarioError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw .expected(
                "a number from \(range.lowerBound) to \(range.upperBound)", found: self)
        }
        return number
    }

    /// `100ppm`.
    func drift() throws(ScenarioError) -> Int {
        guard text.hasSuffix("ppm"), let number = Int(text.dropLast(3)), (0...10_000) ~= number
        else { throw .expected("a drift such as 100ppm", found: self) }
        return number
    }

    /// `10MB`, `64kB`: bytes a second.
    func bandwidth() throws(ScenarioError) -> Int {
        for (unit, factor) in [("MB", 1_000_000), ("kB", 1_000)] where text.hasSuffix(unit) {
            if let number = Int(text.dropLast(2)), (1...1_000_000) ~= number {
                return number * factor
            }
        }
        throw .expected("bytes a second such as 64kB or 10MB", found: self)
    }

    /// `1..200`, or a single seed.
    func seeds() throws(ScenarioError) -> ClosedRange<UInt64> {
        let (low, high) = ends() ?? (self, self)
        guard let first = UInt64(low.text), let last = UInt64(high.text), first <= last else {
            throw .expected("seeds such as 1..200", found: self)
        }
        return first...last
    }

    func durability() throws(ScenarioError) -> Durability {
        if let durability = Durability(rawValue: text) { return durability }
        throw .unknown(self, known: Durability.allCases.map(\.rawValue))
    }

    /// `n1`, counted from 0, among `count` of them.
    func node(among count: Int) throws(ScenarioError) -> Int {
        if let index = member("n", among: count) { return index }
        throw .expected(count == 1 ? "n1" : "a node from n1 to n\(count)", found: self)
    }

    func client(among count: Int) throws(ScenarioError) -> Int {
        if let index = member("c", among: count) { return index }
        throw .expected(count == 1 ? "c1" : "a client from c1 to c\(count)", found: self)
    }

    /// Whether the word is a letter and a number, as in `n1`.
    func names(_ letter: Character) -> Bool {
        text.first == letter && text.dropFirst().first?.isNumber == true
    }

    private func member(_ letter: Character, among count: Int) -> Int? {
        guard text.first == letter, let number = Int(text.dropFirst()),
            (1...max(count, 1)) ~= number
        else { return nil }
        return number - 1
    }

    /// A location below the root.
    func path() throws(ScenarioError) -> Path {
        do throws(DataError) {
            let path = try Path(text)
            if !path.isRoot { return path }
        } catch {
            throw ScenarioError(
                problem: "\(error.problem) at \(line):\(column)", fix: error.fix, line: line,
                column: column)
        }
        throw .expected("a path such as /rooms/a", found: self)
    }

    /// `"text"`, `17`, `true`, `false`, or other JSON without spaces between its words.
    func value() throws(ScenarioError) -> Value {
        if text == "true" { return .boolean(true) }
        if text == "false" { return .boolean(false) }
        if let number = Int64(text) { return .integer(number) }
        if text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
            return .string(String(text.dropFirst().dropLast()))
        }
        if let value = try? JSONReader().parse(text) { return value }
        throw .expected("a value such as \"hello\", 17, true or {\"a\":1}", found: self)
    }

    private func ends() -> (ScenarioWord, ScenarioWord)? {
        let bytes = Array(text.utf8)
        let dot = UInt8(ascii: ".")
        guard
            let index = bytes.indices.dropLast().first(where: {
                bytes[$0] == dot && bytes[$0 + 1] == dot
            })
        else { return nil }
        let low = String(decoding: bytes[..<index], as: UTF8.self)
        let high = String(decoding: bytes[(index + 2)...], as: UTF8.self)
        return (
            ScenarioWord(text: low, line: line, column: column),
            ScenarioWord(text: high, line: line, column: column + index + 2)
        )
    }

    /// A decimal number with at most six digits after its point, times a million.
    private static func millionths(of text: Substring) -> UInt64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2) ~= parts.count, let whole = UInt64(parts[0]), whole < 1_000_000 else {
            return nil
        }
        guard parts.count == 2 else { return whole * 1_000_000 }
        let digits = parts[1]
        guard (1...6) ~= digits.utf8.count, let fraction = UInt64(digits) else { return nil }
        let scale = (digits.utf8.count..<6).reduce(UInt64(1)) { scale, _ in scale * 10 }
        return whole * 1_000_000 + fraction * scale
    }
}
