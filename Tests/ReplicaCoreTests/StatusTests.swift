import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

/// The status of a replica.
@Suite struct StatusTests {
    private var replica = TestReplica()

    @Test mutating func `a status names the node and says how it stores`() {
        let identity = replica.status().identity
        #expect(identity.member == "n1")
        #expect(identity.cluster == "test")
        #expect(identity.writer == replica.replica.writer.description)
        #expect(identity.durability == "memory")
        #expect(identity.storage == NodeStatus.storageWorks)
        #expect(identity.wallMilliseconds == 1_700_000_000_002)
    }

    @Test mutating func `writes, refusals and listens are counted`() {
        _ = replica.ask(.put(id: 1, path: "a", value: 1))
        _ = replica.ask(.push(id: 2, path: "list", value: 2))
        _ = replica.ask(.listen(id: 3, path: "a"))
        _ = replica.ask(.listen(id: 4, path: "list"))
        _ = replica.ask(.listen(id: 4, path: "list"))
        let status = replica.status()
        #expect(status.data.held == ["n1": 2])
        #expect(status.data.operations == 2)
        #expect(status.data.loggedOperations == 2)
        #expect(status.data.lag == 0)
        #expect(status.data.closedIncarnations == 0)
        #expect(status.data.writers == ["n1": replica.replica.writer.description])
        #expect(status.exchange.accepted == 2)
        #expect(status.exchange.received == 0)
        #expect(status.clients.listens == 2)
        #expect(status.clients.refused == 1)
        #expect(status.clients.queries.lists == 0)
    }

    private var registers: Int { replica.replica.status.data.registers }

    /// A replica that remembers many more locations than it forgets in a turn, all of them stable, and logged nothing for
    /// long.
    private mutating func rememberMuch() {
        let writes = (0..<20_000).map { Write(path: Universe.path("k\($0)"), value: 1) }
        // A replica that is still rejoining applies all writes in one turn.
        _ = replica.turn([])
        _ = replica.ask(.merge(id: 1, path: .root, writes: writes))
        // No register becomes stable before the last write shows.
        while replica.replica.hasDueWork { _ = replica.turn([], after: 0) }
        _ = replica.turn(
            [.requested(ClientMessage.ping(id: 1).frame, by: SessionID(number: 2))], after: 10_000)
        #expect(registers > 15_000)
    }

    @Test mutating func `a turn that answers clients forgets few registers`() {
        rememberMuch()
        let before = registers
        _ = replica.ask(.ping(id: 2), by: 2)
        #expect(registers == before - 500)
    }

    @Test mutating func `an idle turn soon after a write forgets few registers`() {
        rememberMuch()
        _ = replica.ask(.put(id: 2, path: "k0", value: 2))
        let before = registers
        _ = replica.turn([])
        #expect(registers == before - 500)
    }

    @Test mutating func `an idle turn forgets many registers`() {
        rememberMuch()
        let before = registers
        _ = replica.turn([])
        #expect(registers == before - 5_000)
    }
}
