import Marks

/// Reads the lines of a scenario file.
///
/// Grammar, one statement a line; `#` begins a comment, and words are separated by spaces:
///
///     file       = header { statement }; `ScenarioHeader` describes the header
///     statement  = section { name "=" value }
///                | "swarm"
///                | "seeds" number ".." number
///                | "at" time [".." time] action
///                | "until" time
///                | "quiescence" time
///                | "load" file
///                | "rules" file { file }
///                | "mix" request, as `MixedRequest.read` says
///                | "check" check { [","] check }
///                | "check" invariant, as `Invariant.read` says
///     section    = "cluster" | "network" | "clients" | "workload" | "clocks" | "faults" | "databases"
///     action     = fault, as `FaultTable` lists them, with what follows it: "crash" node, for example
///                | client ("set" | "push" | "increment") path value
///                | client "remove" path
///                | node "reads" path "expect" value
///     node       = "n" number            end = node | client
///     client     = "c" number            time = number ("us" | "ms" | "s" | "min" | "h")
///
/// Each time of an `at` is before that of `until`, wherever in the file that stands.
///
/// `Simulations/README.md` describes each setting, action and check.
struct ScenarioParser {
    private static let statements =
        ScenarioSection.allCases.map(\.rawValue) + [
            "swarm", "seeds", "load", "rules", "mix", "at", "until", "quiescence", "check", "reach",
        ]
    private static let requests = ["set", "push", "increment", "remove"]

    private(set) var scenario: Scenario
    private var header = ScenarioHeader()
    /// The data of the file that a word names.
    private let load: (ScenarioWord) throws(ScenarioError) -> LoadedData
    /// The rules of the file that a word names.
    private let loadRules: (ScenarioWord) throws(ScenarioError) -> RulesDocument
    /// The word of a request that protocol clients cannot send.
    private var libraryRequest: ScenarioWord?
    /// Read when all sections are: only then it is known which nodes and clients there are.
    private var timed: [TimedLine] = []

    /// The rest of a line `at`, behind its time.
    private struct TimedLine {
        var line: ScenarioLine
        var times: TimeRange
        /// The time as the file has it.
        var word: ScenarioWord
    }

    init(
        name: String, load: @escaping (ScenarioWord) throws(ScenarioError) -> LoadedData,
        loadRules: @escaping (ScenarioWord) throws(ScenarioError) -> RulesDocument
    ) {
        scenario = Scenario(name: name)
        self.load = load
        self.loadRules = loadRules
    }

    mutating func read(_ text: [UInt8]) throws(ScenarioError) {
        var number = 0
        var isBeforeStatements = true
        for bytes in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            try ScenarioParser.requireUTF8(bytes, line: number)
            if bytes.first == UInt8(ascii: "#"), isBeforeStatements {
                try header.read(bytes, number: number)
            }
            var line = ScenarioLine(bytes, number: number)
            if line.isAtEnd { continue }
            isBeforeStatements = false
            try readStatement(&line)
        }
        for timed in timed { try readAction(timed) }
        if let libraryRequest, scenario.clients.protocolClients > 0 {
            throw .expected("no client of \"protocol\" beside transactions", found: libraryRequest)
        }
        let end = ScenarioWord(text: "", line: number, column: 1, isEnd: true)
        if scenario.clients.users > 0, scenario.clients.hasPortClients {
            throw .expected(
                "no clients of \"firebase\", \"rest\" or \"streams\" beside \"users\"", found: end)
        }
        guard !scenario.checks.isEmpty else {
            throw .expected("a line \"check …\": a scenario claims something", found: end)
        }
        try requireDatabases(at: end)
        try header.complete(&scenario)
    }

    /// Runs with several databases have clients, faults and checks of their own.
    private func requireDatabases(at end: ScenarioWord) throws(ScenarioError) {
        let other = scenario.checks.first {
            ($0.evaluation is DatabaseEvaluation) != scenario.hasDatabases
        }
        if let other {
            let problem =
                scenario.hasDatabases
                ? "no check \"\(other)\" beside \"databases\""
                : "a line \"databases count=…\", which the check \"\(other)\" needs"
            throw .expected(problem, found: end)
        }
        let isPlain =
            scenario.script.isEmpty && scenario.mix.isEmpty && scenario.data == nil
            && scenario.rules.isEmpty
            && scenario.named.allSatisfy { $0.hasPrefix("databases ") || $0 == "cluster replicas" }
        if scenario.hasDatabases, !isPlain {
            throw .expected("only \"cluster replicas\" beside \"databases\"", found: end)
        }
        if scenario.hasDatabases, scenario.cluster.replicas < 2 {
            throw .expected("two nodes at least beside \"databases\"", found: end)
        }
    }

    /// Bytes that are not UTF-8 would be replaced by others, and a path by another path.
    private static func requireUTF8(
        _ bytes: ArraySlice<UInt8>, line: Int
    ) throws(ScenarioError) {
        if String(validating: bytes, as: UTF8.self) != nil { return }
        throw ScenarioError(
            problem: "line \(line) is not UTF-8", fix: "save the file as UTF-8", line: line,
            column: 1)
    }

    private mutating func readStatement(_ line: inout ScenarioLine) throws(ScenarioError) {
        let word = line.removeFirst()
        if let section = ScenarioSection(rawValue: word.text) {
            return try section.read(&line, into: &scenario)
        }
        switch word.text {
        case "swarm": scenario.isSwarm = true
        case "seeds": scenario.seeds = try line.removeFirst().seeds()
        case "until": scenario.until = try line.removeFirst().time()
        case "quiescence": scenario.quiescence = try line.removeFirst().time()
        case "load": scenario.data = try load(line.removeFirst())
        case "rules":
            repeat { scenario.rules.append(try readRules(line.removeFirst())) } while !line.isAtEnd
        case "mix":
            let word = line.peek
            let request = try MixedRequest.read(&line)
            if request.needsLibrary { libraryRequest = word }
            scenario.mix.append(request)
        case "check" where Invariant.words.contains(line.peek.text):
            scenario.invariants.append(try Invariant.read(&line))
            claim(.invariantsHold)
        case "at":
            let word = line.removeFirst()
            return timed.append(TimedLine(line: line, times: try word.times(), word: word))
        case "check": try readChecks(&line)
        case "reach": try readMarks(&line)
        default: throw .unknown(word, known: ScenarioParser.statements)
        }
        try line.finish()
    }

    /// Reads the rules that a word names, and returns its text.
    private mutating func readRules(_ word: ScenarioWord) throws(ScenarioError) -> String {
        if word.text == DrawnDocument.word { return word.text }
        if !scenario.documents.contains(where: { $0.file == word.text }) {
            scenario.documents.append(try loadRules(word))
        }
        return word.text
    }

    private mutating func readMarks(_ line: inout ScenarioLine) throws(ScenarioError) {
        repeat {
            let word = try line.takeName(of: "a mark")
            guard let mark = Mark(named: word.text) else {
                throw .unknown(word, known: Mark.allCases.map(\.name))
            }
            if !scenario.marks.contains(mark) { scenario.marks.append(mark) }
        } while !line.isAtEnd
    }

    private mutating func readChecks(_ line: inout ScenarioLine) throws(ScenarioError) {
        repeat {
            let word = try line.takeName(of: "a check")
            guard let check = Check.named(word.text) else {
                throw .unknown(word, known: Check.all.map(\.name) + Invariant.words)
            }
            claim(check)
        } while !line.isAtEnd
    }

    private mutating func claim(_ check: Check) {
        if !scenario.checks.contains(check) { scenario.checks.append(check) }
    }
}

// MARK: - Actions

extension ScenarioParser {
    private mutating func readAction(_ timed: TimedLine) throws(ScenarioError) {
        try requireEnd(after: timed)
        var line = timed.line
        let word = line.removeFirst()
        let action: Scenario.Scripted.Action
        if word.names("c") {
            let client = try word.client(among: scenario.clients.count)
            action = .request(client: client, try readRequest(&line))
        } else if word.names("n") {
            let nodes = scenario.cluster.replicas
            action = .expectation(try Expectation.read(word, &line, among: nodes))
            claim(.expectationsHold)
        } else {
            if word.text == SetRules.name { _ = try readRules(line.peek) }
            action = .fault(try FaultTable.read(word, &line, of: scenario))
        }
        try line.finish()
        scenario.script.append(.init(at: timed.times, action))
    }

    /// An action at or after the end would never happen, or happen after all faults have ended.
    private func requireEnd(after timed: TimedLine) throws(ScenarioError) {
        if timed.times.longest < scenario.until { return }
        throw .expected(
            "a time before the end of the scenario, \"until \(scenario.until.text)\"",
            found: timed.word)
    }

    private func readRequest(_ line: inout ScenarioLine) throws(ScenarioError) -> ScriptedRequest {
        let verb = line.removeFirst()
        guard ScenarioParser.requests.contains(verb.text) else {
            throw .unknown(verb, known: ScenarioParser.requests)
        }
        let path = try line.removeFirst().path()
        switch verb.text {
        case "remove": return .remove(path)
        case "set": return .set(path, try line.removeFirst().value())
        case "push": return .push(path, try line.removeFirst().value())
        default:
            let word = line.removeFirst()
            guard case .integer(let delta) = try word.value() else {
                throw .expected("a whole number", found: word)
            }
            return .increment(path, delta)
        }
    }
}

extension Scenario {
    /// Reads the UTF-8 text of a scenario file; the grammar is described at `ScenarioParser`.
    ///
    /// - Parameters:
    ///   - name: The name of the file, without its ending.
    ///   - file: The bytes of a file that the scenario names, by its path from the scenario's folder; nil if it cannot be
    ///     read.
    /// - Throws: `ScenarioError` at the first word that is wrong, with its line and column.
    public init(
        parsing text: [UInt8], name: String, file: @escaping (String) -> [UInt8]? = { _ in nil }
    ) throws(ScenarioError) {
        try self.init(parsing: text, name: name) { word throws(ScenarioError) in
            try word.loadedData(file)
        } loadRules: { word throws(ScenarioError) in
            try word.rulesDocument(file)
        }
    }

    /// Reads a shorter or other text of a scenario that has loaded its data.
    init(parsing text: String, like scenario: Scenario) throws(ScenarioError) {
        try self.init(parsing: Array(text.utf8), name: scenario.name) {
            word throws(ScenarioError) in
            guard let data = scenario.data, data.file == word.text else {
                return try word.loadedData { _ in nil }
            }
            return data
        } loadRules: { word throws(ScenarioError) in
            guard let document = scenario.documents.first(where: { $0.file == word.text }) else {
                return try word.rulesDocument { _ in nil }
            }
            return document
        }
    }

    private init(
        parsing text: [UInt8], name: String,
        load: @escaping (ScenarioWord) throws(ScenarioError) -> LoadedData,
        loadRules: @escaping (ScenarioWord) throws(ScenarioError) -> RulesDocument
    ) throws(ScenarioError) {
        var parser = ScenarioParser(name: name, load: load, loadRules: loadRules)
        try parser.read(text)
        self = parser.scenario
    }

    /// Reads the text of a scenario file.
    public init(parsing text: String, name: String) throws(ScenarioError) {
        try self.init(parsing: Array(text.utf8), name: name, file: { _ in nil })
    }
}
