import DataTree

extension Check {
    package static let pushKeys: Check = Check(
        "push-keys", judges: .clients, guarantees: "P1, P2",
        claim: "push keys are unique; those of a client ascend",
        criterion: """
            no two pushes have the same key, the keys of a client ascend, and each is read as it \
            was made
            """,
        evaluate: PushKeys.evaluate)
}

/// No two pushes ever got the same key, and the keys that one client made ascend.
enum PushKeys {
    static func evaluate(_ evidence: Evidence) -> Finding {
        var all: [(key: Key, operation: Int)] = []
        var last = [Key?](
            repeating: nil, count: evidence.scenario.clients.total)
        for (index, operation) in evidence.history.operations.enumerated() {
            switch operation.kind {
            case .push(_, let key, _):
                if let before = last[operation.client], key <= before {
                    return .invalid("c\(operation.client + 1) made \(key) after \(before)")
                }
                last[operation.client] = key
                all.append((key, index))
            case .append(_, let key?, _): all.append((key, index))
            default: continue
            }
        }
        if all.isEmpty { return .unknown("there was no push" + evidence.pushNote) }
        // Programs read from a key when its push was made.
        for (key, operation) in all where PushID(key)?.key != key {
            return .invalid(
                "\(key) of \(evidence.history.operations[operation]) is read as \(PushID(key)?.key.text ?? "nothing")"
            )
        }
        all.sort { ($0.key, $0.operation) < ($1.key, $1.operation) }
        for (a, b) in zip(all, all.dropFirst()) where a.key == b.key {
            let operations = evidence.history.operations
            return .invalid(
                "two pushes got one key: \(operations[a.operation]) and \(operations[b.operation])")
        }
        return .valid("\(all.count) keys")
    }
}
