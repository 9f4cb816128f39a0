import DataTree
import Rules
import RulesOracle
import Store
import SyncProtocol

/// Rules that a scenario names by their file, as nodes have them and as the simulator judges by them.
struct RulesDocument: Sendable {
    /// The path of the file, as the scenario has it; `drawn` for rules that the seed has drawn.
    let file: String
    let source: String
    let rules: NaiveRules
}

extension RulesDocument {
    /// The batch that an administrator of long ago has left on every disk.
    var batch: LogEntry {
        let writer = WriterID(bits: 0x5275_6C65_7321_2121)
        let time = HybridTime(milliseconds: VirtualClock.beginning - 500_000)
        let operation = Operation(
            stamp: Stamp(time: time, writer: writer),
            writes: [RulesRecord.write(source, replacing: "")])
        let batch = Batch(
            origin: writer, first: 1, wallMilliseconds: time.milliseconds,
            dependencies: VersionVector(), operations: [operation])
        return LogEntry(origin: writer, first: 1, last: 1, bytes: BatchCoding.encode(batch))
    }
}

extension ScenarioWord {
    /// The rules in a file that is named by its path.
    ///
    /// - Parameter read: The bytes of a file; nil if it cannot be read.
    func rulesDocument(_ read: (String) -> [UInt8]?) throws(ScenarioError) -> RulesDocument {
        if isEnd { throw .expected("the path of a file of rules", found: self) }
        guard let bytes = read(text) else {
            throw problem(
                "cannot read the file \"\(text)\"",
                fix: "name a file of rules, by its path from the folder of the scenario")
        }
        do throws(RulesetError) {
            _ = try Ruleset(bytes)
        } catch {
            let first = error.errors.first.map { "\($0)" } ?? "no rules"
            throw problem(
                "\(text): \(first)", fix: "mend it; `hearth rules check` shows all faults")
        }
        guard let rules = NaiveRules(bytes) else {
            throw problem(
                "\(text) has something by which the simulator cannot judge",
                fix: "use plain JSON, and neither patterns nor methods of strings")
        }
        return RulesDocument(
            file: text, source: String(decoding: bytes, as: UTF8.self), rules: rules)
    }

    private func problem(_ problem: String, fix: String) -> ScenarioError {
        ScenarioError(
            problem: "\(problem), named at \(line):\(column)", fix: fix, line: line, column: column)
    }
}
