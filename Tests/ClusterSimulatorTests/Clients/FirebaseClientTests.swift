import DataTree
import GatewayCore
import QueryEngine
import ReplicaCore
import Testing

@testable import ClusterSimulator

/// A Firebase client by what it sends for what it is sent.
@Suite struct FirebaseClientTests {
    private let reader = RealtimeSession.makeReader()
    private let handshake =
        #"{"t":"c","d":{"t":"h","d":{"ts":1,"v":"5","h":"n1","s":"0007"}}}"#

    private func client(index: Int = 1, _ queries: Query...) -> FirebaseClient {
        FirebaseClient(
            index: index, nodes: [2, 0, 1],
            program: ApplicationProgram(remaining: 0, transactions: .zero),
            streams: queries.map { EventStream(path: ApplicationProgram.data, query: $0) },
            random: SplitMix64(seed: 1))
    }

    private func sent(_ client: inout FirebaseClient, after messages: String...) -> [String] {
        for message in messages { client.receive(Array(message.utf8), by: reader) }
        return client.takeOutgoing().map { String(decoding: $0, as: UTF8.self) }
    }

    private func request(_ number: Int, _ action: String, _ body: String) -> String {
        #"{"t":"d","d":{"r":\#(number),"a":"\#(action)","b":\#(body)}}"#
    }

    private func answer(_ number: Int, _ status: String = "ok") -> String {
        #"{"t":"d","d":{"r":\#(number),"b":{"s":"\#(status)","d":{}}}}"#
    }

    private func push(_ path: String, _ data: String) -> String {
        #"{"t":"d","d":{"a":"d","b":{"p":"\#(path)","d":\#(data)}}}"#
    }

    @Test func `it says nothing before the handshake, and then what it listens to`() throws {
        var client = client(try Query().orderedByKey().limited(toLast: 2))
        #expect(sent(&client).isEmpty)
        #expect(
            sent(&client, after: handshake) == [
                request(
                    1, "q", #"{"p":"/data","q":{"l":2,"vf":"r","i":".key"},"t":1,"h":""}"#)
            ])
        client.loseConnection()
        client.connect(to: "n1")
        let upgrade = String(decoding: client.removeBytes()[0].bytes, as: UTF8.self)
        #expect(upgrade.hasPrefix("GET /.ws?v=5&ns=simulated&ls=0007 HTTP/1.1\r\nHost: n1\r\n"))
        #expect([client.nextNode(), client.nextNode(), client.nextNode()] == [2, 0, 1])
    }

    @Test func `what it holds it names by a hash, and by hashes of ranges if it is to`() {
        for index in [0, 1] {
            var client = client(index: index, Query())
            _ = sent(&client, after: handshake, push("data", #"{"a":1}"#), answer(1))
            #expect(client.isAtRest && client.streams[0].value != nil)
            client.loseConnection()
            #expect(!client.isAtRest)
            let listen = sent(&client, after: handshake)[0]
            #expect(listen.contains(#""h":"gIphxiFGusLh2VwSNVKSvNu90m4=""#))
            #expect(listen.contains(#""ps":["a"]"#) == (index == 0))
        }
    }

    @Test func `unanswered writes are sent again, in order, behind the listens`() {
        var client = client(Query())
        client.put(.integer(1), at: ApplicationProgram.data)
        _ = sent(&client, after: handshake)
        client.put(.integer(2), at: ApplicationProgram.data)
        client.put(.integer(3), at: ApplicationProgram.data)
        let numbers = sent(&client, after: answer(2)).count
        #expect(numbers == 2)
        client.loseConnection()
        let again = sent(&client, after: handshake)
        #expect(again.map { $0.contains(#""a":"q""#) } == [true, false, false])
        #expect(again[1].contains(#""d":2"#) && again[2].contains(#""d":3"#))
    }

    @Test func `a transaction runs on null, and again on what it is told`() throws {
        var client = client(Query())
        _ = sent(&client, after: handshake, push("data", "null"), answer(1))
        client.transact(at: ApplicationProgram.count, recordedAs: 7)
        #expect(
            sent(&client) == [
                request(2, "q", #"{"p":"/count","h":""}"#),
                request(3, "p", #"{"p":"/count","d":1,"h":""}"#),
            ])
        let hash = DataHash(of: .integer(4)).text
        #expect(
            sent(&client, after: push("count", "4"), answer(2), answer(3, "datastale")) == [
                request(4, "p", #"{"p":"/count","d":5,"h":"\#(hash)"}"#)
            ])
        let end = sent(&client, after: push("count", "5"), answer(4))
        #expect(end == [request(5, "n", #"{"p":"/count"}"#)])
        let ended = try #require(client.takeEnded().first)
        #expect(ended.record == 7 && ended.outcome == .acknowledged)
        #expect(ended.old == .integer(4) && ended.new == .integer(5))
    }

    @Test func `of a transaction on its way when the connection ends nobody knows`() {
        var client = client(Query())
        _ = sent(&client, after: handshake)
        client.transact(at: ApplicationProgram.count, recordedAs: 0)
        client.loseConnection()
        #expect(client.takeEnded().map(\.outcome) == [.unknown])
        client.transact(at: ApplicationProgram.count, recordedAs: 1)
        client.loseConnection()
        #expect(client.takeEnded().isEmpty, "it was not sent, and is tried again")
        #expect(sent(&client, after: handshake).last?.contains(#""h":"""#) == true)
    }

    @Test func `an ok is for the listen that it answers, not for the next one of that name`() {
        var client = client(Query())
        _ = sent(&client, after: handshake)
        client.transact(at: ApplicationProgram.count, recordedAs: 0)
        _ = sent(&client, after: push("count", "1"), answer(3, "unavailable"))
        #expect(client.takeEnded().map(\.outcome) == [.failed])
        client.transact(at: ApplicationProgram.count, recordedAs: 1)
        // The answer to the first listen, which has ended.
        _ = sent(&client, after: answer(2))
        #expect(client.failure == nil && !client.isAtRest)
    }

    @Test(arguments: ["{}", #"{"t":"d","d":{"a":"zz","b":{"p":"a","d":1}}}"#, "nonsense"])
    func `what no node sends is a failure`(text: String) {
        var client = client(Query())
        _ = sent(&client, after: handshake, text)
        #expect(client.failure?.contains("cannot read") == true)
    }

    @Test func `the first data come before the ok, unless the client holds them`() {
        var client = client(Query())
        _ = sent(&client, after: handshake, push("data", "1"), answer(1))
        client.loseConnection()
        _ = sent(&client, after: handshake, answer(2))
        #expect(client.failure == nil && client.isAtRest)
        client.transact(at: ApplicationProgram.count, recordedAs: 0)
        _ = sent(&client, after: answer(3))
        #expect(client.failure?.contains("at /count is confirmed before its data") == true)
    }

    @Test func `an answer that nobody waits for is a failure`() {
        var client = client(Query())
        _ = sent(&client, after: handshake, answer(9))
        #expect(client.failure?.contains("request 9") == true)
    }
}
