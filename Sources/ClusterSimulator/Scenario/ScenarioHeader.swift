/// The comments before the first statement of a scenario: its claim in words, then fields.
///
///     # Every acknowledged write survives a partition.
///     # guarantees: C1, D1
///     # since: 0.2.0
struct ScenarioHeader {
    private static let fields = ["guarantees:", "since:"]

    private(set) var claim = ""
    /// The guarantees that the scenario is about, where they are named.
    private var guarantees: [(guarantee: Guarantee, word: ScenarioWord)] = []
    private var since: String?

    /// Reads a line that begins with `#`.
    mutating func read(_ bytes: ArraySlice<UInt8>, number: Int) throws(ScenarioError) {
        var line = ScenarioLine([UInt8(ascii: " ")] + bytes.dropFirst(), number: number)
        let word = line.peek
        guard ScenarioHeader.isField(word.text) else { return addClaim(bytes.dropFirst()) }
        _ = line.removeFirst()
        switch word.text {
        case "guarantees:": try readGuarantees(&line)
        case "since:": since = try line.removeFirst().version()
        default: throw .unknown(word, known: ScenarioHeader.fields)
        }
        try line.finish()
    }

    /// Adds the fields to a scenario with all its statements.
    ///
    /// - Throws: if the scenario has no check of a guarantee that the header names.
    func complete(_ scenario: inout Scenario) throws(ScenarioError) {
        scenario.claim = claim
        scenario.since = since
        for (guarantee, word) in guarantees {
            guard guarantee.checks.contains(where: scenario.checks.contains) else {
                let checks = guarantee.checks.map(\.name).joined(separator: " or ")
                throw .expected(
                    "a guarantee with a check here; \(guarantee.rawValue): \(checks)", found: word)
            }
            scenario.guarantees.append(guarantee)
        }
    }

    /// Whether a word is the name of a field: small letters and a colon.
    private static func isField(_ word: String) -> Bool {
        word.hasSuffix(":") && word.dropLast().allSatisfy { "a"..."z" ~= $0 } && word != ":"
    }

    private mutating func readGuarantees(_ line: inout ScenarioLine) throws(ScenarioError) {
        repeat {
            let word = try line.takeName(of: "a guarantee")
            guard let guarantee = Guarantee(rawValue: word.text) else {
                throw .unknown(word, known: Guarantee.allCases.map(\.rawValue))
            }
            guarantees.append((guarantee, word))
        } while !line.isAtEnd
    }

    private mutating func addClaim(_ bytes: ArraySlice<UInt8>) {
        let text = String(decoding: bytes.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
        // The path of the file may stand first; it is no part of the claim.
        if text.hasSuffix(".scenario") || text.isEmpty { return }
        claim += (claim.isEmpty ? "" : " ") + text
    }
}

extension ScenarioWord {
    /// A version such as `0.3.0`.
    fileprivate func version() throws(ScenarioError) -> String {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ UInt16($0) != nil }) else {
            throw .expected("a version of Hearth, such as 0.3.0", found: self)
        }
        return text
    }
}
