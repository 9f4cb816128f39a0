import ClientCore
import DataTree
import Foundation
import Testing
import Threads

@testable import Hearth

/// Connections that keep what they know in a file.
@Suite(.serialized, .timeLimit(.minutes(1))) struct RestartTests {
    private let node: TestNode
    private let file: String
    private let place = Path([Key(unchecked: "list")])

    init() throws {
        node = try TestNode()
        file =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-\(UUID().uuidString).db").path
    }

    private func connect(to url: String) throws -> Hearth.Connection {
        try Connection(nodes: [url], persistence: Persistence(file: file))
    }

    /// The events of a listen until a given value.
    private func values(
        _ connection: Hearth.Connection, until last: Value
    ) -> [Value] {
        let heard = Monitor<[Value]>([])
        let listen = connection.listen(at: place, for: .value) { events in
            heard.withLock { $0 += events.map(\.data) }
            heard.signal()
        } ended: { _ in
        }
        defer { connection.unlisten(listen) }
        return heard.wait { $0.last == last ? $0 : nil }
    }

    @Test func `the next process knows the list at once, and sends what could not be sent`() throws
    {
        defer { try? FileManager.default.removeItem(atPath: file) }
        let first = try connect(to: node.url)
        let isDone = Monitor(false)
        first.send(.put(place, ["a": 1])) { _ in
            isDone.withLock { $0 = true }
            isDone.signal()
        }
        isDone.wait { $0 ? () : nil }
        #expect(values(first, until: ["a": 1]).last == ["a": 1])
        first.close()

        // No node answers here.
        let second = try connect(to: "http://127.0.0.1:1")
        #expect(values(second, until: ["a": 1]) == [["a": 1]])
        second.send(.put(place.appending(Key(unchecked: "b")), 2)) { _ in }
        #expect(values(second, until: ["a": 1, "b": 2]).last == ["a": 1, "b": 2])
        second.close()

        let third = try connect(to: node.url)
        defer { third.close() }
        #expect(values(third, until: ["a": 1, "b": 2]) == [["a": 1, "b": 2]])
        let answer = Monitor<Value?>(nil)
        let other = try Connection(nodes: [node.url])
        defer { other.close() }
        for _ in 0..<100 {
            other.send(.get(place)) { result in
                if case .success(.value(let value)) = result { answer.withLock { $0 = value } }
                answer.signal()
            }
            if answer.wait(for: { $0 }) == ["a": 1, "b": 2] { return }
            answer.withLock { $0 = nil }
            Thread.sleep(forTimeInterval: 0.05)
        }
        Issue.record("what could not be sent has not come to the node")
    }
}
