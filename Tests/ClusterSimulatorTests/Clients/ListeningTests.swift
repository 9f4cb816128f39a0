import DataTree
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The messages of a node to a listener.
@Suite struct ListeningTests {
    private let a = Path([Key(unchecked: "a")])

    private func listening(held: Bool = false, after first: [Write]? = nil) -> Listening {
        var listening = Listening(path: .root, isFollowed: true)
        if let first {
            listening.begin(ClientMessage.listen(id: 1, path: .root))
            listening.receive(.change(listen: 1, writes: first))
            listening.disconnect()
        }
        let hash = HeldData(hash: DataHash(of: listening.told))
        listening.begin(ClientMessage.listen(id: 2, path: .root, held: held ? hash : nil))
        return listening
    }

    @Test func `the first change is the whole value, and the next ones alter it`() {
        var listening = listening()
        #expect(!listening.isComplete)
        listening.receive(.change(listen: 2, writes: [Write(path: .root, value: .integer(1))]))
        listening.receive(.change(listen: 2, writes: [Write(path: a, value: .integer(2))]))
        #expect(listening.isComplete && listening.told[a] == .integer(2))
        #expect(listening.failure == nil && listening.changeCount == 2)
    }

    @Test func `a change that changes nothing is a failure`() {
        var listening = listening(after: [Write(path: a, value: .integer(1))])
        listening.receive(.change(listen: 2, writes: [Write(path: a, value: .integer(1))]))
        #expect(listening.failure == nil)
        listening.receive(.change(listen: 2, writes: [Write(path: a, value: .integer(1))]))
        #expect(listening.failure?.contains("was 1 already") == true)
    }

    @Test func `a listener that holds all there is is told nothing`() {
        var listening = listening(held: true, after: [Write(path: a, value: .integer(1))])
        listening.receive(.change(listen: 2, writes: []))
        #expect(listening.isComplete && listening.told[a] == .integer(1))
        #expect(listening.failure == nil)
    }

    @Test func `what is told of an earlier connection's listen does not count`() {
        var listening = listening()
        listening.receive(.change(listen: 1, writes: [Write(path: .root, value: .integer(1))]))
        #expect(!listening.isComplete && listening.told.isNull)
    }
}
