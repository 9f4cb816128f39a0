import DataTree

extension Check {
    package static let acknowledgedPushes: Check = Check(
        "acknowledged-pushes", judges: .clients, guarantees: "P3",
        failure: .durability,
        traits: [.atEnd],
        claim: "each acknowledged push is everywhere, once, in order",
        criterion:
            "each acknowledged push is everywhere, once, with its value, in the order of the keys",
        evaluate: AcknowledgedPushes.evaluate)
}

/// Each acknowledged push is on every replica, exactly once, with its value, in the order of keys.
enum AcknowledgedPushes {
    private struct Push {
        var list: Path
        var key: Key
        var value: Value
        var operation: ClientOperation
    }

    static func evaluate(_ evidence: Evidence) -> Finding {
        let pushes = evidence.acknowledged.compactMap(push)
        if pushes.isEmpty {
            return .unknown(
                "no push was acknowledged" + evidence.pushNote + evidence.permittedNote)
        }
        var lists: [Path] = []
        for push in pushes where !lists.contains(push.list) { lists.append(push.list) }
        for node in evidence.nodes {
            for list in lists {
                let children = node.value[list].children
                if let failure = failure(inOrderOf: children) {
                    return .invalid("\(node.name) shows \(list) out of order: \(failure)")
                }
                if let failure = surplus(in: children, of: list, evidence) {
                    return .invalid("\(node.name) has \(failure)")
                }
            }
            for push in pushes where node.value[push.list][push.key] != push.value {
                let found = node.value[push.list][push.key]
                return .invalid("\(node.name) has \(found.summary) for: \(push.operation)")
                    .about(push.operation)
            }
        }
        return .valid(
            "\(pushes.count) pushes on \(evidence.nodes.count) replicas"
                + evidence.permittedNote)
    }

    private static func push(_ operation: ClientOperation) -> Push? {
        switch operation.kind {
        case .push(let list, let key, let value):
            Push(list: list, key: key, value: value, operation: operation)
        case .append(let list, let key?, let value):
            Push(list: list, key: key, value: value, operation: operation)
        default: nil
        }
    }

    /// Push IDs are ASCII, so that their order is that of their bytes.
    private static func failure(inOrderOf children: Children) -> String? {
        var last = ""
        for key in children.keys {
            let text = key.text
            guard PushID(key) != nil else { return "\(text) is no push ID" }
            guard last.utf8.lexicographicallyPrecedes(text.utf8) else {
                return "\(text) comes after \(last)"
            }
            last = text
        }
        return nil
    }

    /// A value that is there more often than it was ever pushed.
    private static func surplus(
        in children: Children, of list: Path, _ evidence: Evidence
    ) -> String? {
        var counts: [String: Int] = [:]
        for operation in evidence.history.operations {
            switch operation.kind {
            case .push(let other, _, let value) where other == list:
                counts[value.description, default: 0] += 1
            case .append(let other, _, let value) where other == list:
                counts[value.description, default: 0] += 1
            default: continue
            }
        }
        for (key, value) in children {
            let count = counts[value.description, default: 0]
            if count == 0 { return "\(value) at \(list)/\(key) once more than it was pushed" }
            counts[value.description] = count - 1
        }
        return nil
    }
}
