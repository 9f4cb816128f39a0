import DataTree
import JSONText
import Marks

// A scenario as the text of a file: what `Scenario(parsing:name:)` reads again.

extension Scenario {
    /// The text of a file that says the same; settings that say nothing are left out.
    public var text: String {
        let other = Scenario(name: name)
        var lines = claim.isEmpty ? [] : ["# \(claim)"]
        if isSwarm { lines.append("swarm") }
        for section in ScenarioSection.allCases {
            let settings = section.settings.filter {
                named.contains("\(section.rawValue) \($0.name)")
                    || $0.write(self) != $0.write(other)
            }
            if settings.isEmpty { continue }
            let words = settings.map { "\($0.name)=\($0.write(self))" }
            lines.append(([section.rawValue] + words).joined(separator: " "))
        }
        if let data { lines.append("load \(data.file)") }
        if !rules.isEmpty { lines.append("rules " + rules.joined(separator: " ")) }
        lines += mix.map { "mix \($0.text)" }
        lines.append("seeds \(seeds.lowerBound)..\(seeds.upperBound)")
        lines += script.map { "at \($0.times.text) \($0.action.text(in: self))" }
        lines.append("until \(until.text)")
        if quiescence != other.quiescence { lines.append("quiescence \(quiescence.text)") }
        let claimed = checks.filter { !isClaimedByLines($0) }
        if !claimed.isEmpty {
            lines.append("check " + claimed.map(\.name).joined(separator: ", "))
        }
        lines += invariants.map { "check \($0.text)" }
        if !marks.isEmpty { lines.append("reach " + marks.map(\.name).joined(separator: ", ")) }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Scenario {
    /// Whether other lines claim a check without naming it.
    private func isClaimedByLines(_ check: Check) -> Bool {
        switch check {
        case .invariantsHold: !invariants.isEmpty
        case .expectationsHold:
            script.contains { if case .expectation = $0.action { true } else { false } }
        default: false
        }
    }
}

extension Scenario.Scripted.Action {
    func text(in scenario: Scenario) -> String {
        switch self {
        case .fault(let fault): fault.text(in: scenario)
        case .request(let client, let request): "c\(client + 1) \(request.text)"
        case .expectation(let expectation): expectation.text
        }
    }
}

extension ScriptedRequest {
    var text: String {
        switch self {
        case .set(let path, let value): "set \(path) \(value.scenarioText)"
        case .push(let path, let value): "push \(path) \(value.scenarioText)"
        case .remove(let path): "remove \(path)"
        case .increment(let path, let delta): "increment \(path) \(delta)"
        }
    }
}

extension Value {
    /// The value as a word of a scenario: JSON, but for texts, which stand in quotes as they are.
    var scenarioText: String {
        if case .string = self { return description }
        return JSONWriter.text(of: self, form: .export)
    }
}

extension Microseconds {
    /// As in `20ms`.
    var text: String {
        if self > 0, self % 3_600_000_000 == 0 { return "\(self / 3_600_000_000)h" }
        if self % 1_000_000 == 0 { return "\(self / 1_000_000)s" }
        return self % 1_000 == 0 ? "\(self / 1_000)ms" : "\(self)us"
    }
}

extension TimeRange {
    var text: String {
        shortest == longest ? shortest.text : "\(shortest.text)..\(longest.text)"
    }
}

extension Probability {
    /// As in `0.5%`.
    var text: String {
        let whole = "\(millionths / 10_000)"
        var fraction = String(millionths % 10_000 + 10_000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return fraction.isEmpty ? whole + "%" : "\(whole).\(fraction)%"
    }
}
