import DataTree

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

extension Fault {
    /// The fault as a scenario names it.
    func text(in scenario: Scenario) -> String {
        switch self {
        case .crash(let node): "crash n\(node + 1)"
        case .kill(let node): "kill n\(node + 1)"
        case .restart(let node): "restart n\(node + 1)"
        case .stop(let node): "stop n\(node + 1)"
        case .pause(let node): "pause n\(node + 1)"
        case .resume(let node): "resume n\(node + 1)"
        case .sleep(let node): "sleep n\(node + 1)"
        case .wake(let node): "wake n\(node + 1)"
        case .slowDown(let node, let range):
            "cpu n\(node + 1) \(range.map { "slow \($0.text)" } ?? "runs")"
        case .exhaustHandles(let node): "handles n\(node + 1) none"
        case .freeHandles(let node): "handles n\(node + 1) free"
        case .backUp(let node): "backup n\(node + 1)"
        case .restore(let node): "restore n\(node + 1)"
        case .evict(let node, let other): "evict n\(node + 1) n\(other + 1)"
        case .wipe(let node): "wipe n\(node + 1)"
        case .abandon(let node): "abandon n\(node + 1)"
        case .members(let members):
            "members " + members.map { "n\($0 + 1)" }.joined(separator: " ")
        case .rot(let node): "rot n\(node + 1)"
        case .spoil(let node): "disk n\(node + 1) rots"
        case .misdirect(let node): "disk n\(node + 1) misdirects"
        case .duplicateNode(let node): "duplicate-node n\(node + 1)"
        case .partition(let groups):
            "partition "
                + groups.map { $0.map(\.text).joined(separator: " ") }.joined(separator: " | ")
        case .cut(let from, let to): "partition \(from.text) -> \(to.text)"
        case .ring: "ring"
        case .clog(let from, let to): "clog n\(from + 1) -> n\(to + 1)"
        case .unclog(let from, let to): "unclog n\(from + 1) -> n\(to + 1)"
        case .halfOpen(let from, let to): "half-open n\(from + 1) -> n\(to + 1)"
        case .lose(let topic, let from, let to):
            "lose n\(from + 1) -> n\(to + 1) \(topic.rawValue)"
        case .flap(let from, let to): "flap n\(from + 1) -> n\(to + 1)"
        case .disconnect(let a, let b): "disconnect n\(a + 1) n\(b + 1)"
        case .degrade(let from, let to, let quality):
            "degrade n\(from + 1) -> n\(to + 1) \(quality.text(in: scenario))"
        case .heal: "heal"
        case .step(let node, let milliseconds):
            "clock n\(node + 1) \(milliseconds < 0 ? "-" : "+")"
                + Microseconds.milliseconds(milliseconds.magnitude).text
        case .clock(let node, let mode): "clock n\(node + 1) \(mode.text)"
        case .disk(let node, let trouble): "disk n\(node + 1) \(trouble?.text ?? "works")"
        }
    }
}

extension VirtualClock.Mode {
    var text: String {
        switch self {
        case .running: "runs"
        case .frozen: "freezes"
        case .strobing(let milliseconds): "strobes \(Microseconds.milliseconds(milliseconds).text)"
        case .swaying(let milliseconds, let period):
            "sways \(Microseconds.milliseconds(milliseconds).text) every \(period.text)"
        }
    }
}

extension VirtualDisk.Trouble {
    var text: String {
        switch self {
        case .slow(let range): "slow \(range.text)"
        case .unreadable: "unreadable"
        case .full: "full"
        case .failing: "fails"
        case .lying: "lies"
        }
    }
}

extension LinkQuality {
    /// The settings that differ from those of the network.
    fileprivate func text(in scenario: Scenario) -> String {
        let settings = ScenarioSetting.link(at: \.network.link)
        let usual = settings.map { $0.write(scenario) }
        var changed = scenario
        changed.network.link = self
        return zip(settings, usual).compactMap { setting, usual in
            let text = setting.write(changed)
            return text == usual ? nil : "\(setting.name)=\(text)"
        }.joined(separator: " ")
    }
}

extension Endpoint {
    fileprivate var text: String {
        switch self {
        case .node(let node): "n\(node + 1)"
        case .client(let client): "c\(client + 1)"
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
