import ClientCore
import DataTree
import Foundation
import Hearth
import Testing
import Threads

/// Programs whose nodes are killed under them, with writes on their way.
@Suite(.serialized, .timeLimit(.minutes(2))) struct `Increments under way` {
    private struct Count: Sendable {
        var open = 0
        var done = 0
        var errors: [HearthError] = []
    }

    private static let sum = Path([Key(unchecked: "sum")])

    /// Adds one, and has it counted when it is answered.
    private func add(_ connection: Connection, _ count: Monitor<Count>) {
        count.withLock { $0.open += 1 }
        let one = Value.deferred(.increment(.integer(1)))
        connection.send(.put(Self.sum, one)) { result in
            count.withLock { count in
                count.open -= 1
                switch result {
                case .success: count.done += 1
                case .failure(let error): count.errors.append(error)
                }
            }
        }
    }

    @Test func `count once each while their nodes are killed and left`() throws {
        let cluster = try TestNode(count: 3)
        let connections = try (0..<3).map { first in
            try Connection(nodes: Array(cluster.urls[first...] + cluster.urls[..<first]))
        }
        defer { for connection in connections { connection.close() } }
        let count = Monitor(Count())
        for round in 0..<4 {
            let node = "n\(round % 3 + 1)"
            for step in 0..<20 {
                if step == 5 { try cluster.kill(node) }
                for connection in connections {
                    for _ in 0..<10 { add(connection, count) }
                    if step % 7 == round { connection.leaveNode() }
                }
                // The pace of real clients: without it all would be asked for before a node is gone.
                usleep(10_000)
            }
            try cluster.start(node)
        }
        let deadline = Date(timeIntervalSinceNow: 40)
        // Answers come on other threads, after as many retries as it takes.
        while count.withLock({ $0.open }) > 0, Date() < deadline { usleep(20_000) }
        let (open, done, errors) = count.withLock { ($0.open, $0.done, $0.errors) }
        #expect(open == 0)
        #expect(errors.map(\.description) == [])
        #expect(done == 2_400)
        for url in cluster.urls {
            let reader = try Connection(nodes: [url])
            defer { reader.close() }
            let shown = Monitor(Value.null)
            for _ in 0..<200 {
                reader.send(.get(Self.sum)) { result in
                    guard case .success(.value(let value)) = result else { return }
                    shown.withLock { $0 = value }
                }
                // The node asked may still be catching up with the others.
                usleep(50_000)
                if shown.withLock({ $0 }) == .integer(Int64(done)) { break }
            }
            #expect(shown.withLock { $0 } == .integer(Int64(done)))
        }
    }
}
