internal import ClusterSimulator
internal import CommandLineKit
internal import JSONText

/// `hearth sim list`.
enum SimulationListVerb {
    private static let files = Argument(
        "FILE", "Scenario files, or folders of them.", arity: .repeated, values: .file)
    private static let guarantee = Option(
        "guarantee", "ID", "Only scenarios about this guarantee.",
        values: .oneOf(Guarantee.allCases.map(\.rawValue)))
    private static let check = Option(
        "check", "NAME", "Only scenarios with this check.",
        values: .oneOf(Check.all.map(\.name)))
    private static let module = Option(
        "module", "NAME", "Only scenarios that find a seeded bug in this module.")
    private static let json = Option(flag: "json", "Print one JSON object for each scenario.")
    private static let markdown = Option(
        flag: "markdown", "Print an index page; its links are relative to the only folder named.")

    static let verb = Verb(
        "list", "Names scenarios, their claims, guarantees and the seeded bugs that they find.",
        arguments: [files], options: [guarantee, check, module, json, markdown],
        examples: [
            "hearth sim list Simulations",
            "hearth sim list Simulations --guarantee D1 --module Store",
            "hearth sim list Simulations --markdown > Simulations/INDEX.md",
        ]
    ) { (invocation) throws(CommandError) in
        let paths = invocation.words(of: files)
        let list = ScenarioList(try ScenarioFiles.read(paths))
        let known = list.bugs.modules
        if let name = invocation[module], !known.contains(name) {
            throw invocation.usageError(
                "--module \(name): no seeded bug is in this module",
                fix: known.isEmpty
                    ? "name a folder that has seeded bugs, such as Simulations"
                    : "name one of \(known.joined(separator: ", "))")
        }
        let shown = list.filtered(
            by: ScenarioList.Filter(
                guarantee: invocation[guarantee].flatMap { Guarantee(rawValue: $0) },
                check: invocation[check].flatMap { Check.named($0) },
                module: invocation[module]))
        if invocation.has(markdown) {
            let index = ScenarioIndex(shown, in: paths[0])
            StandardOutput.shared.write(Array(index.text.utf8))
            return .success
        }
        for file in shown.files {
            let lines = invocation.has(json) ? [shown.object(of: file)] : shown.lines(of: file)
            for line in lines { StandardOutput.shared.print(line) }
        }
        return .success
    }
}

/// Scenarios with the seeded bugs that they find.
struct ScenarioList {
    /// The requirements of a list of scenarios; nil for anything.
    struct Filter {
        var guarantee: Guarantee?
        var check: Check?
        var module: String?
    }

    private(set) var files: [ScenarioFiles.File]
    let bugs: SeededBugList

    init(_ files: [ScenarioFiles.File]) {
        self.files = files
        bugs = SeededBugList(beside: files)
    }

    func filtered(by filter: Filter) -> ScenarioList {
        var list = self
        list.files = files.filter { file in
            let scenario = file.scenario
            if let guarantee = filter.guarantee, !scenario.guarantees.contains(guarantee) {
                return false
            }
            if let check = filter.check, !scenario.checks.contains(check) { return false }
            guard let module = filter.module else { return true }
            return bugs.found(by: scenario.name).contains { $0.module == module }
        }
        return list
    }

    /// The path, the claim, and the fields in words.
    func lines(of file: ScenarioFiles.File) -> [String] {
        let scenario = file.scenario
        var fields = fields(of: scenario)
        if !scenario.guarantees.isEmpty { fields.insert(scenario.guaranteeList, at: 0) }
        return [file.path, "    " + scenario.claim]
            + (fields.isEmpty ? [] : ["    (\(fields.joined(separator: "; ")))"])
    }

    /// The number of seeded bugs and the first version, as far as they are known.
    func fields(of scenario: Scenario) -> [String] {
        let found = bugs.found(by: scenario.name).count
        let bugs = found == 0 ? [] : ["finds \(found) seeded bug\(found == 1 ? "" : "s")"]
        return bugs + (scenario.since.map { ["since \($0)"] } ?? [])
    }

    /// One JSON object.
    func object(of file: ScenarioFiles.File) -> String {
        let scenario = file.scenario
        let bugs = bugs.found(by: scenario.name).map { bug in
            let checks = bug.finders.filter { $0.scenario == scenario.name }.map(\.check)
            return "{\"name\":\(text(bug.name)),\"module\":\(text(bug.module)),"
                + "\"checks\":\(array(checks))}"
        }
        let since = scenario.since.map { "\"since\":\(text($0))," } ?? ""
        return "{\"scenario\":\(text(scenario.name)),\"path\":\(text(file.path)),"
            + "\"claim\":\(text(scenario.claim)),"
            + "\"guarantees\":\(array(scenario.guarantees.map(\.rawValue))),\(since)"
            + "\"checks\":\(array(scenario.checks.map(\.name))),"
            + "\"bugs\":[\(bugs.joined(separator: ","))]}"
    }

    private func array(_ words: [String]) -> String {
        "[\(words.map(text).joined(separator: ","))]"
    }

    private func text(_ string: String) -> String { JSONWriter.text(of: .string(string)) }
}

extension Scenario {
    /// The guarantees that it is about, with commas.
    var guaranteeList: String { guarantees.map(\.rawValue).joined(separator: ", ") }
}
