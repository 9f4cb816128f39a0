import DataTree
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// When a client goes on without what it has seen.
@Suite struct ObservedSessionTests {
    private var holds: VersionVector {
        var holds = VersionVector()
        holds[WriterID(bits: 1)] = 7
        return holds
    }

    private func ready() -> NodeMessage {
        .ready(id: 1, member: "n1", wallMilliseconds: 0, time: .zero, holds: holds)
    }

    @Test func `a client that says what it has seen goes on with its session`() {
        var session = ObservedSession()
        #expect(session.greet(seen: VersionVector(), at: 0) == nil)
        session.receive(ready())
        #expect(session.greet(seen: holds, at: .seconds(60)) == nil)
        #expect(session.number == 0)
    }

    @Test func `a client that has looked for ten seconds may begin another session`() {
        var session = ObservedSession()
        session.receive(ready())
        #expect(session.greet(seen: holds, at: .seconds(1)) == nil)
        #expect(session.greet(seen: VersionVector(), at: .seconds(11)) == nil)
        #expect(session.number == 1)
    }

    @Test func `a client that forgets what it has seen before that is still held to it`() {
        var session = ObservedSession()
        session.receive(ready())
        #expect(session.greet(seen: holds, at: .seconds(1)) == nil)
        #expect(session.greet(seen: VersionVector(), at: .seconds(11) - 1) != nil)
        session.receive(ready())
        #expect(session.greet(seen: VersionVector(), at: .seconds(12)) != nil)
        #expect(session.number == 0)
    }

    @Test func `a client that leaves out a part of what it was shown is noticed`() {
        var session = ObservedSession()
        session.receive(ready())
        var more = holds
        more[WriterID(bits: 2)] = 1
        session.receive(.seen(time: .zero, holds: more))
        #expect(session.greet(seen: holds, at: .seconds(60)) != nil)
        #expect(session.greet(seen: more, at: .seconds(61)) == nil)
    }
}
