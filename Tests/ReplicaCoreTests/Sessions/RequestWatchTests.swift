import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct `Requests for the log` {
    private let session = SessionID(number: 7)
    private let put = ClientMessage.put(id: 3, path: "rooms/lobby", value: .string("secret"))

    private func record(_ reason: RequestRecord.Reason) -> RequestRecord {
        RequestRecord(session: session, name: "put", location: "rooms/lobby", reason: reason)
    }

    @Test func `are those that waited long, once they are answered`() {
        var watch = RequestWatch(slowMilliseconds: 500)
        watch.beginTurn(at: 1_000)
        watch.recordWait(of: put, session)
        watch.beginTurn(at: 1_499)
        watch.recordAnswer(4, of: session)
        watch.recordAnswer(3, of: SessionID(number: 8))
        #expect(watch.removeRecords().records == [])
        watch.beginTurn(at: 1_500)
        watch.recordAnswer(3, of: session)
        watch.recordAnswer(3, of: session)
        #expect(watch.removeRecords().records == [record(.waited(milliseconds: 500))])
        #expect(watch.removeRecords().records == [])
    }

    @Test func `omit quick ones, listens, and those of sessions that have ended`() {
        var watch = RequestWatch(slowMilliseconds: 500)
        watch.recordWait(of: put, session)
        watch.beginTurn(at: 499)
        watch.recordAnswer(3, of: session)
        watch.recordWait(of: .listen(id: 4, path: "a"), session)
        watch.recordWait(of: .awaitStable(id: 5, milliseconds: 9_000), session)
        let ended = SessionID(number: 8)
        watch.recordWait(of: .get(id: 6, path: "a"), ended)
        watch.close(ended)
        watch.beginTurn(at: 9_000)
        for id in UInt64(3)...5 { watch.recordAnswer(id, of: session) }
        watch.recordAnswer(6, of: ended)
        #expect(watch.removeRecords().records == [])
    }

    @Test func `are those that rules and limits refused, without the lines that have values`() {
        var watch = RequestWatch(slowMilliseconds: 500)
        watch.recordService(of: put, session)
        watch.recordRefusal(.permissionDenied, "no\nnewData is \"secret\"", 3, of: session)
        watch.recordRefusal(.changed, "it is another value", 3, of: session)
        #expect(
            watch.removeRecords().records
                == [record(.refused(code: "permission_denied", problem: "no"))])
        watch.recordRefusal(.tooBig, "too many", 9, of: session)
        let unnamed = RequestRecord(
            session: session, name: nil, location: nil,
            reason: .refused(code: "too_big", problem: "too many"))
        #expect(watch.removeRecords().records == [unnamed])
    }

    @Test func `are bounded in number`() {
        var watch = RequestWatch(slowMilliseconds: 500)
        for id in 0..<UInt64(100) {
            watch.recordRefusal(.permissionDenied, "no", id, of: session)
        }
        let (records, omitted) = watch.removeRecords()
        #expect(records.count == 32 && omitted == 68)
        for id in 1...UInt64(2_000) {
            watch.recordWait(of: .get(id: id, path: "a"), session)
        }
        watch.beginTurn(at: 900)
        for id in 1...UInt64(2_000) { watch.recordAnswer(id, of: session) }
        let waited = watch.removeRecords()
        #expect(waited.records.count + waited.omitted == 1_000)
    }

    @Test func `come from the requests of a replica`() {
        var test = TestReplica()
        _ = test.ask(.put(id: 1, path: "a", value: 1))
        var replica = test.replica
        #expect(replica.removeRequestRecords().records == [])
        #expect(replica.lastRequest(took: 5)?.name == "put")
        #expect(replica.lastRequest(took: 5)?.location == "a")
    }
}
