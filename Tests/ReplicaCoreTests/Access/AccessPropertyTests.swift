import DataTree
import Randomness
import ReplicaCore
import Rules
import SyncProtocol
import Testing

/// A node does exactly what its rules permit on its tree at that moment, whatever the rules, the tree and the request.
@Suite struct AccessPropertyTests {
    private static let keys = ["a", "b", "c"]
    private static let conditions = [
        "true", "false", "auth != null", "auth.uid == 'u1'", "data.exists()",
        "!data.exists()", "newData.exists()", "newData.isNumber()", "newData.val() != data.val()",
        "newData.hasChildren(['a'])", "newData.parent().child('b').exists()",
        "root.child('a').exists()", "data.parent().hasChild('c')", "newData.val() == now",
        "newData.val() > 2 || !newData.isNumber()",
    ]

    @Test func `a node accepts exactly what the rules permit on its tree at that moment`() throws {
        var verdicts = (permitted: 0, refused: 0)
        for seed in 1...150 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            let rules = AccessPropertyTests.rules(&random)
            var node = RuledReplica(rules)
            _ = node.ask(.put(id: 1, path: .root, value: tree(&random, depth: 2)))
            let ruleset = try Ruleset(Array(RuledReplica.document(rules).utf8))
            for number in 0..<25 {
                let before = node.value
                let request = self.request(&random)
                let expected = permits(request, before, ruleset, after: node.milliseconds + 1)
                let isPermitted = node.permits(request.message)
                #expect(isPermitted == expected, "seed \(seed), request \(number), rules \(rules)")
                if !isPermitted { #expect(node.value == before, "seed \(seed)") }
                if isPermitted { verdicts.permitted += 1 } else { verdicts.refused += 1 }
            }
        }
        #expect(verdicts.permitted > 500 && verdicts.refused > 500)
    }

    /// The request, and the writes in it.
    private struct Asked {
        var message: ClientMessage
        var writes: [Write] = []
    }

    private func permits(
        _ asked: Asked, _ before: Value, _ ruleset: Ruleset, after milliseconds: UInt64
    ) -> Bool {
        if case .get(let get) = asked.message.request {
            let situation = RuleSituation(
                auth: .user("u1"), now: Double(milliseconds), data: before)
            return ruleset.evaluate(.read(get.path), in: situation).isAllowed
        }
        var after = before
        for write in asked.writes {
            after.set(
                write.value.resolved(at: milliseconds, against: before[write.path]), at: write.path)
        }
        let situation = RuleSituation(
            auth: .user("u1"), now: Double(milliseconds), before: before, after: after)
        let paths = asked.writes.map(\.path)
        return ruleset.evaluate(paths.count == 1 ? .write(paths[0]) : .update(paths), in: situation)
            .isAllowed
    }
}

// MARK: - What chance draws

extension AccessPropertyTests {
    private static func rules(_ random: inout SplitMix64, depth: Int = 3) -> String {
        var members: [String] = []
        for kind in [".read", ".write", ".validate"] where random.next() % 3 == 0 {
            let condition = conditions[Int(random.next() % UInt64(conditions.count))]
            let isLegal = !(kind == ".read" && condition.contains("newData"))
            if isLegal { members.append("\"\(kind)\": \"\(condition)\"") }
        }
        if depth > 0 {
            for key in keys + ["$k\(depth)"] where random.next() % 2 == 0 {
                members.append("\"\(key)\": \(rules(&random, depth: depth - 1))")
            }
        }
        return "{" + members.joined(separator: ", ") + "}"
    }

    private func tree(_ random: inout SplitMix64, depth: Int) -> Value {
        if depth == 0 || random.next() % 3 == 0 { return .integer(Int64(random.next() % 5)) }
        var children = Children()
        for key in Self.keys where random.next() % 2 == 0 {
            let child = tree(&random, depth: depth - 1)
            if !child.isNull { children[Key(unchecked: key)] = child }
        }
        return children.isEmpty ? .null : Value(children)
    }

    private func path(_ random: inout SplitMix64, from least: Int = 0) -> Path {
        let count = least + Int(random.next() % 3)
        return Path((0..<count).map { _ in Key(unchecked: Self.keys[Int(random.next() % 3)]) })
    }

    private func value(_ random: inout SplitMix64) -> Value {
        switch random.next() % 6 {
        case 0: .null
        case 1: .deferred(.timestamp)
        case 2: .deferred(.increment(.integer(1)))
        default: tree(&random, depth: 2)
        }
    }

    private func request(_ random: inout SplitMix64) -> Asked {
        switch random.next() % 4 {
        case 0: return Asked(message: .get(id: 1, path: path(&random)))
        case 1:
            let above = path(&random)
            let writes = Self.keys.filter { _ in random.next() % 2 == 0 }
                .map { Write(path: Path([Key(unchecked: $0)]), value: value(&random)) }
            return Asked(
                message: .merge(id: 1, path: above, writes: writes),
                writes: writes.map { Write(path: above.appending($0.path), value: $0.value) })
        default:
            let write = Write(path: path(&random), value: value(&random))
            return Asked(
                message: .put(id: 1, path: write.path, value: write.value), writes: [write])
        }
    }
}
