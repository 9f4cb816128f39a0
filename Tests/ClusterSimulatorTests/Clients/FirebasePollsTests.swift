import GatewayCore
import ReplicaCore
import Testing

@testable import ClusterSimulator

/// A Firebase client's long polls, by the scripts that answer them.
@Suite struct FirebasePollsTests {
    private let reader = RealtimeSession.makeReader()
    private let handshake = #"{"t":"c","d":{"t":"h","d":{"ts":1,"v":"5","h":"n1","s":"0007"}}}"#

    private func answer(_ script: String) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(script.utf8.count)\r\n\r\n\(script)".utf8)
    }

    private func begun() -> FirebasePolls {
        var polls = FirebasePolls()
        let request = String(decoding: polls.begin(at: "n1", "&ls=x"), as: UTF8.self)
        #expect(request.hasPrefix("GET /.lp?start=t&v=5&cb=7&ls=x&ns=simulated HTTP/1.1\r\n"))
        let script = "pLPCommand(\"start\",\"id\",\"pw\");\npRTLPCB(0,[\(handshake)]);\n"
        let events = polls.receive(answer(script), on: 0, by: reader)
        #expect(events.count == 1 && polls.isAtRest)
        if case .message(.handshake("0007"))? = events.first { return polls }
        Issue.record("no handshake: \(events)")
        return polls
    }

    @Test func `one poll is held, and what is to be sent goes on the other connection`() {
        var polls = begun()
        var random = SplitMix64(seed: 3)
        let held = polls.removeRequest(to: "n1", &random)
        #expect(held?.connection == 0)
        #expect(polls.removeRequest(to: "n1", &random) == nil)
        polls.send(Array("{}".utf8))
        let sent = polls.removeRequest(to: "n1", &random)
        #expect(sent?.connection == 1)
        let text = String(decoding: sent?.bytes ?? [], as: UTF8.self)
        #expect(text.contains("id=id&pw=pw&ser=0") && text.contains("&seg0=0&ts0="))
        #expect(polls.isWaiting(on: 0) && polls.isWaiting(on: 1))
    }

    @Test func `answers are taken by their numbers, and none twice`() {
        var polls = begun()
        var random = SplitMix64(seed: 3)
        _ = polls.removeRequest(to: "n1", &random)
        polls.send(Array("{}".utf8))
        _ = polls.removeRequest(to: "n1", &random)
        let end = #"{"t":"c","d":{"t":"n","d":{}}}"#
        let early = polls.receive(answer("pRTLPCB(2,[\(end)]);\n"), on: 1, by: reader)
        #expect(early.isEmpty)
        #expect(polls.awaitsEarlier, "the node has answered the later poll alone")
        let both = polls.receive(answer("pRTLPCB(1,[]);\n"), on: 0, by: reader)
        #expect(both.count == 1)
        #expect(!polls.awaitsEarlier)
        _ = polls.removeRequest(to: "n1", &random)
        let again = polls.receive(answer("pRTLPCB(1,[]);\n"), on: 0, by: reader)
        if case .failure? = again.first { return }
        Issue.record("the answer is taken twice: \(again)")
    }
}
