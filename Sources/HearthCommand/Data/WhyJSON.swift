internal import ClusterAdministration
internal import JSONText
internal import SyncProtocol

extension LocationExplanation {
    /// The explanation as one JSON object, with the members of `hearth rules writes --json`.
    func json(limit: Int) -> String {
        let writes = history.entries.suffix(limit).map {
            $0.json(stableBefore: report.stableMilliseconds)
        }
        let registers = report.registers.map {
            object([("path", text($0.path)), ("kind", text($0.name)), ("stamp", text($0.stamp))])
        }
        return object([
            ("path", text("\(path)")), ("node", text(report.node)), ("shows", text(report.shown)),
            ("stableMilliseconds", "\(report.stableMilliseconds)"),
            ("omitted", "\(omittedCount(limit: limit))"), ("writes", array(writes)),
            ("registers", array(registers)),
        ])
    }
}

extension LocationHistory.Entry {
    fileprivate func json(stableBefore stable: Int) -> String {
        var members = operation.members
        members.append(("isStable", "\(operation.milliseconds < stable)"))
        members.append(("lostTo", winner.map { object($0.identity) } ?? "null"))
        return object(members)
    }
}

extension LocatedOperation {
    fileprivate var identity: [(String, String)] {
        [
            ("node", text(member ?? origin)), ("origin", text(origin)),
            ("sequence", "\(sequence)"), ("stamp", text("\(stamp)")),
        ]
    }

    fileprivate var members: [(String, String)] {
        var members = [("milliseconds", "\(milliseconds)")] + identity
        if let rules {
            members += [("uid", user.map(text) ?? "null"), ("rules", text(rules))]
        }
        if let administrator { members.append(("administrator", text(administrator))) }
        let writes = writes.map {
            object([("path", text($0.path)), ("kind", text($0.kind)), ("text", text($0.text))])
        }
        return members + [("writes", array(writes))]
    }
}

private func text(_ string: String) -> String { JSONWriter.text(of: .string(string)) }
private func array(_ elements: [String]) -> String { "[\(elements.joined(separator: ","))]" }
private func object(_ members: [(String, String)]) -> String {
    "{\(members.map { "\(text($0))" + ":" + $1 }.joined(separator: ","))}"
}
