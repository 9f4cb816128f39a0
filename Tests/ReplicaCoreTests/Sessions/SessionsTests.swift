import Convergence
import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import ReplicaCore

/// Sessions by themselves: they see the tree and the vector as values, and no replica.
@Suite struct SessionsTests {
    private func sessions(durability: Durability = .commit) -> Sessions {
        Sessions(
            ReplicaConfiguration(
                cluster: "test", member: "n1", peers: ["n2"], durability: durability, seed: 1))
    }

    private func view(
        _ tree: Value = .null, holding vector: VersionVector = [:], time: HybridTime = 1_000,
        stable: HybridTime = .zero, at milliseconds: UInt64 = 1_000
    ) -> ReplicationView {
        ReplicationView(
            now: .init(at: milliseconds), tree: tree, registers: Registers(),
            vector: vector, time: time,
            stableTime: stable)
    }

    private func told(
        _ sessions: inout Sessions, seeing view: ReplicationView? = nil
    ) -> [SessionID: [NodeMessage]] {
        var told: [SessionID: [NodeMessage]] = [:]
        for case .reply(let session, let frame) in sessions.finishFrames(
            seeing: view ?? self.view())
        {
            for case .message(let message) in try! FrameReader<NodeMessage>.messages(in: frame) {
                told[session, default: []].append(message)
            }
        }
        return told
    }

    @Test func `a read whose order has no index waits, and is not answered`() throws {
        var sessions = sessions()
        // A smaller list needs no index.
        var children = Children()
        for number in 0..<2_000 { children[Key(index: number)] = .integer(Int64(number)) }
        let tree = Value(children)
        sessions.get(GetRequest(path: "5"), 1, 1, in: view(tree))
        #expect(told(&sessions) == [1: [.value(id: 1, value: 5)]])
        let query = try Query().orderedByValue().limited(toFirst: 1)
        sessions.get(GetRequest(path: .root, query: query), 2, 1, in: view(tree))
        #expect(sessions.missingIndex != nil)
        #expect(told(&sessions) == [:])
    }

    @Test func `a client is welcomed once all is here that it has seen`() {
        var sessions = sessions()
        sessions.greet([7: 5], 1, 1, seeing: view(holding: [7: 4]))
        #expect(sessions.welcomeWaiting(seeing: view(holding: [7: 4], at: 1_699)).isEmpty)
        #expect(told(&sessions) == [:])
        let late = sessions.welcomeWaiting(seeing: view(holding: [7: 4], at: 1_700))
        #expect(late.map(\.id) == [1])
        sessions.greet([7: 5], 1, 1, seeing: view(holding: [7: 4]))
        #expect(sessions.welcomeWaiting(seeing: view(holding: [7: 5])).isEmpty)
        let answer = NodeMessage.ready(
            id: 1, member: "n1", wallMilliseconds: 1_000, time: 1_000, holds: [7: 5])
        #expect(told(&sessions)[1]?.first == answer)
    }

    @Test func `each frame to a welcomed client ends with what it shows`() {
        var sessions = sessions()
        sessions.greet([:], 1, 1, seeing: view(holding: [7: 5]))
        _ = told(&sessions, seeing: view(holding: [7: 5]))
        sessions.send(.ok(id: 2), to: 1)
        sessions.send(.ok(id: 2), to: 2)
        let frames = told(&sessions, seeing: view(holding: [7: 5, 8: 1], time: 2_000))
        #expect(frames == [1: [.ok(id: 2), .seen(time: 2_000, holds: [8: 1])], 2: [.ok(id: 2)]])
    }

    @Test func `stability is awaited up to what the clocks show`() {
        var sessions = sessions()
        sessions.awaitStable(within: 500, 1, 1, seeing: view(time: 900))
        #expect(sessions.answerStabilityWaiters(seeing: view(stable: 1_000)).isEmpty)
        #expect(told(&sessions) == [:])
        #expect(sessions.answerStabilityWaiters(seeing: view(stable: 1_001)).isEmpty)
        #expect(told(&sessions) == [1: [.ok(id: 1)]])
        sessions.awaitStable(within: 500, 2, 1, seeing: view())
        #expect(sessions.answerStabilityWaiters(seeing: view(at: 1_500)).map(\.id) == [2])
    }

    @Test func `an ended session returns its on-disconnect writes`() {
        var sessions = sessions()
        sessions.addDisconnect([Write(path: "a", value: 1)], 1, 1, at: view().now)
        guard case .listen(let listen) = ClientMessage.listen(id: 2, path: "a").request else {
            return
        }
        sessions.listen(listen, 2, 1, in: view())
        #expect(sessions.close(1).writes == [Write(path: "a", value: 1)])
        #expect(sessions.close(1).writes == [])
        #expect(sessions.listens.count == 0)
        #expect(told(&sessions) == [:], "nothing is said to a client that is gone")
    }

    @Test func `clients whose writes wait are probed, and the silent ones are gone`() {
        var sessions = sessions()
        _ = sessions.probeDisconnects(at: .init(at: 1_000))
        for session in [1, 2] as [SessionID] {
            sessions.addDisconnect([Write(path: "a", value: 1)], 1, session, at: view().now)
        }
        _ = told(&sessions)
        #expect(sessions.probeDisconnects(at: .init(at: 1_999)) == [])
        #expect(sessions.takeImmediate() == [])
        #expect(sessions.probeDisconnects(at: .init(at: 2_000)) == [])
        #expect(sessions.takeImmediate().count == 2)
        sessions.disconnects.hear(2, at: 10_000)
        #expect(
            sessions.probeDisconnects(at: .init(at: 16_001))
                == [LeftWrites(session: 1, writes: [Write(path: "a", value: 1)])])
        #expect(told(&sessions).keys.sorted() == [1])
    }

    @Test(
        arguments: [(.commit, false), (.interval, true), (.memory, true)] as [(Durability, Bool)])
    func `while the disk is full, reads are answered only in modes that may lose data`(
        durability: Durability, isRead: Bool
    ) {
        let sessions = sessions(durability: durability)
        #expect(sessions.canAnswer(.ping(id: 1)) == isRead)
        #expect(sessions.canAnswer(.get(id: 1, path: "a", query: Query())) == isRead)
        #expect(!sessions.canAnswer(.push(id: 1, path: "a", value: 1)))
    }

    @Test func `one backup is written at a time, under a plain name`() {
        var sessions = sessions()
        for (name, isTaken) in [("", false), ("a/b", false), ("night-1", true), ("b", false)] {
            var isRefused = false
            do throws(RequestFailure) { try sessions.beginBackup(name) } catch { isRefused = true }
            #expect(isRefused != isTaken, "\(name)")
        }
        sessions.finishBackup(.success("/x"), 0, .none)
        #expect(sessions.isBackingUp, "that was a copy of the replica's own")
        sessions.finishBackup(.success("/x"), 4, 1)
        #expect(!sessions.isBackingUp)
        #expect(told(&sessions) == [1: [.value(id: 4, value: .string("/x"))]])
    }
}
