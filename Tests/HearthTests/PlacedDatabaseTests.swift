import ClientCore
import DataTree
import Testing
import Threads

@testable import Hearth

/// Programs at nodes that do not hold their database.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PlacedDatabaseTests {
    private let location = Path([Key(unchecked: "a")])

    @Test func `a program is redirected, and its offline writes arrive after a move`() throws {
        let node = try TestNode(count: 3)
        try node.database("create", "chat", "--nodes", "n1,n2")
        let connection = try Connection(nodes: [node.urls[2] + "?ns=chat"])
        defer { connection.close() }
        let heard = Monitor<[Value]>([])
        _ = connection.listen(at: location, for: .value) { events in
            heard.withLock { $0 += events.map(\.data) }
            heard.signal()
        } ended: { error in
            Issue.record("the listen ended: \(error)")
        }
        #expect(try write(1, by: connection) == .done)
        connection.goOffline()
        let offline = Monitor<ClientCore.Answer?>(nil)
        connection.send(.put(location, 2)) { result in
            offline.withLock { $0 = try? result.get() }
            offline.signal()
        }
        // The node that redirected the program holds the database from then on, and no other node does.
        try node.database("move", "chat", "--nodes", "n3")
        connection.goOnline()
        #expect(offline.wait { $0 } == .done)
        try node.database("move", "chat", "--nodes", "n2")
        #expect(try write(3, by: connection) == .done)
        let values = heard.wait { $0.last == 3 ? $0 : nil }
        #expect(values.suffix(3) == [1, 2, 3])
        let other = try Connection(nodes: [node.urls[0] + "?ns=chat"])
        defer { other.close() }
        let read = Monitor<ClientCore.Answer?>(nil)
        other.send(.get(location)) { result in
            read.withLock { $0 = try? result.get() }
            read.signal()
        }
        #expect(read.wait { $0 } == .value(3))
    }

    @Test func `a redirect to a dead node leads to the next one`() throws {
        let node = try TestNode(count: 3)
        try node.database("create", "chat", "--nodes", "n1,n2")
        // Keeps the database awake.
        let first = try Connection(nodes: [node.urls[1] + "?ns=chat"])
        defer { first.close() }
        #expect(try write(0, by: first) == .done)
        try node.kill("n1")
        // The node redirects one of the programs to the dead node first.
        for number in [1, 2] as [Value] {
            let connection = try Connection(nodes: [node.urls[2] + "?ns=chat"])
            defer { connection.close() }
            let patience = Request.Patience.brief(milliseconds: 5_000)
            #expect(try write(number, by: connection, patience) == .done)
        }
    }

    private func write(
        _ number: Value, by connection: Hearth.Connection, _ patience: Request.Patience = .endless
    ) throws -> ClientCore.Answer? {
        let outcome = Monitor<Result<ClientCore.Answer, HearthError>?>(nil)
        connection.send(.put(location, number), patience: patience) { result in
            outcome.withLock { $0 = result }
            outcome.signal()
        }
        return try outcome.wait { $0 }.get()
    }
}
