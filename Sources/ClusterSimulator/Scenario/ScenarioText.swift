import DataTree
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
        lines.append("seeds \(seeds.lowerBound)..\(seeds.upperBound)")
        lines += script.map { "at \($0.times.text) \($0.action.text(in: self))" }
        lines.append("until \(until.text)")
        if quiescence != other.quiescence { lines.append("quiescence \(quiescence.text)") }
        lines.append("check " + checks.map(\.rawValue).joined(separator: ", "))
        if !marks.isEmpty { lines.append("reach " + marks.map(\.name).joined(separator: ", ")) }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Scenario.Scripted.Action {
    func text(in scenario: Scenario) -> String {
        switch self {
        case .fault(let fault): fault.text(in: scenario)
        case .request(let client, let request): "c\(client + 1) \(request.text)"
        }
    }
}

extension ScriptedRequest {
    var text: String {
        switch self {
        case .set(let path, let value): "set \(path) \(value)"
        case .push(let path, let value): "push \(path) \(value)"
        case .remove(let path): "remove \(path)"
        case .increment(let path, let delta): "increment \(path) \(delta)"
        }
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
