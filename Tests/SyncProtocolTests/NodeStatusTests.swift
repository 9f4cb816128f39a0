import DataTree
import Testing

@testable import SyncProtocol

@Suite struct `A status` {
    /// One in which nothing is as in a new one.
    private var status: NodeStatus {
        var status = NodeStatus()
        status.identity.member = "n1"
        status.identity.storage = "the disk is full"
        status.data.held = ["n1": 3, "0a": 7]
        status.data.writers = ["n1": "0b"]
        status.data.lag = 5
        status.exchange.silentPeers = ["n2": true]
        status.exchange.receivingCheckpointFrom = "n3"
        status.exchange.refusedCheckpoints = ["n4": 6]
        status.coordination.coordinator = "n2"
        status.membership.isEvicted = true
        status.membership.awaited = "n4"
        var refused = NodeStatus.RefusedNode()
        refused.member = "n9"
        refused.count = 2
        status.exchange.refusedNodes = ["otherCluster": refused]
        var list = NodeStatus.IndexedList()
        list.path = "/list"
        list.listens = 4
        status.clients.queries.indexes = [list, NodeStatus.IndexedList()]
        var rules = NodeStatus.Rules()
        rules.digest = "abc="
        status.rules = rules
        var process = NodeStatus.Process()
        process.pid = 77
        process.databaseBytes = 1 << 40
        var key = NodeStatus.RefusedKey()
        (key.key, key.address, key.count) = ("%key", "10.0.0.4", 3)
        process.refusedKeys = [key]
        status.process = process
        return status
    }

    @Test func `is read as it was told`() throws {
        #expect(try NodeStatus(status.value) == status)
        #expect(try NodeStatus(NodeStatus().value) == NodeStatus())
    }

    @Test func `has no two members of one name`() {
        let names = status.value.children.count
        #expect(names >= 50)
        // Empty maps and absent texts leave no trace; all others do.
        #expect(NodeStatus.fields.count == names + 7)
    }

    /// Every number, text and truth value of a status, by its path.
    private func leaves(of value: Value, at path: Path = .root) -> [Path] {
        value.children.isEmpty
            ? [path] : value.children.flatMap { leaves(of: $0.value, at: path.appending($0.key)) }
    }

    @Test func `without one of its members is refused, by the name of that`() throws {
        let answer = status.value
        // Optional fields may be absent.
        let optional = [
            "coordinator", "receivingCheckpointFrom", "awaited", "databaseBytes", "held", "writers",
            "silentPeers", "refusedCheckpoints",
        ]
        var refused = 0
        for path in leaves(of: answer)
        where !path.keys.contains(where: { optional.contains($0.text) }) {
            var damaged = answer
            damaged.set(.null, at: path)
            let name = path.keys.map(\.text).joined(separator: ".")
            let error = #expect(throws: DataError.self) { try NodeStatus(damaged) }
            #expect(error?.problem == "the status has no \"\(name)\"")
            refused += 1
        }
        #expect(refused > 70)
    }

    @Test func `with something else in place of a member is refused`() throws {
        var answer = status.value
        answer.set(.string("many"), at: try Path("process/openFiles"))
        let error = #expect(throws: DataError.self) { try NodeStatus(answer) }
        #expect(error?.problem == "\"process.openFiles\" of the status is no whole number")
    }
}
