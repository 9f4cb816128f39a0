import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import ReplicaCore

/// The answers that clients have not read are bounded for all clients together.
@Suite struct UnreadAnswersTests {
    private static let megabyte = Value.string(String(repeating: "a", count: 1 << 20))

    /// A replica whose clients may leave 8 MB unread.
    private func replica() -> TestReplica {
        var limits = ReplicaLimits()
        limits.unreadAnswerBytes = 8 << 20
        // All requests are served in the turn in which they arrive.
        limits.turnUnits = 1 << 30
        var replica = TestReplica(within: limits)
        _ = replica.ask(.put(id: 1, path: "large/text", value: Self.megabyte))
        _ = replica.ask(.put(id: 1, path: "small", value: 1))
        return replica
    }

    private func gets(_ path: Path, by sessions: ClosedRange<UInt64>) -> [Input] {
        sessions.map {
            .requested(
                ClientMessage.get(id: 1, path: path).frame, by: SessionID(number: $0))
        }
    }

    private func isRefused(_ answers: [NodeMessage]?) -> Bool {
        answers?.first?.code == .tooBig
    }

    @Test func `reads of many clients in one turn are refused once there is no room`() {
        var replica = replica()
        let told = replica.turn(gets("large", by: 1...50))
        #expect(told.count == 50)
        let served = told.values.filter { !isRefused($0) }.count
        #expect((4...8).contains(served), "\(served)")
        guard case .error(_, _, let problem, _)? = told[SessionID(number: 50)]?.first else {
            Issue.record("\(served) are served")
            return
        }
        #expect(problem.contains("most of their 8 MB"))
        #expect(replica.status().clients.limited == ["unread_answers": 50 - served])
    }

    @Test(arguments: [false, true])
    func `small answers are sent, while large ones wait at the driver`(isFiltered: Bool) throws {
        var replica = replica()
        let query = isFiltered ? try Query().orderedByKey().limited(toFirst: 1) : Query()
        replica.unreadBytes = 8 << 20
        let large = ClientMessage.get(id: 1, path: "large", query: query)
        #expect(isRefused(replica.ask(large)))
        #expect(replica.ask(.get(id: 1, path: "small")) == [.value(id: 1, value: 1)])
        replica.unreadBytes = 0
        #expect(!isRefused(replica.ask(large)))
    }

    @Test func `a refused listen is not there`() {
        var replica = replica()
        replica.unreadBytes = 8 << 20
        #expect(isRefused(replica.ask(.listen(id: 1, path: "large"))))
        #expect(replica.status().clients.listens == 0)
        replica.unreadBytes = 0
        #expect(replica.ask(.listen(id: 1, path: "large")).first == .ok(id: 1))
    }

    @Test func `one session may have an eighth of what is left`() {
        var replica = replica()
        var frame = FrameWriter()
        for id in 1...5 { frame.append(ClientMessage.get(id: UInt64(id), path: "large")) }
        let session = SessionID(number: 1)
        let told = replica.turn([.requested(frame.bytes, by: session)])[session] ?? []
        #expect(told.count == 5 && told.count { $0.code == .tooBig } == 4)
    }

    @Test func `the answers of turns count until they are sent`() {
        var unread = UnreadAnswers(limit: 8_000_000)
        unread.add(7_000_000)
        #expect(unread.largestAnswer == 125_000)
        unread.endTurn(5)
        unread.beginTurn(waiting: 0) { $0 < 5 }
        #expect(unread.largestAnswer == 125_000)
        unread.beginTurn(waiting: 6_500_000) { $0 <= 5 }
        #expect(unread.largestAnswer == 187_500)
        unread.beginTurn(waiting: 0) { _ in true }
        #expect(unread.largestAnswer == nil)
    }
}
