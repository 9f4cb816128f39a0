import DataTree
import SyncProtocol
import Testing

@testable import GatewayCore

/// Large answers leave in parts, out of a snapshot.
@Suite struct LargeAnswerTests {
    private var node = TestGateway()
    private static let count = 20_000

    init() {
        var body = "{"
        for number in 0..<LargeAnswerTests.count {
            body += (number > 0 ? "," : "") + "\"k\(10_000_000 + number)\":{\"n\":\(number)}"
        }
        _ = node.curl("/big.json", "PUT", body: body + "}")
    }

    @Test(arguments: ["", "shallow=true", "callback=f", "format=export&print=pretty"])
    mutating func `a large answer is whole`(parameters: String) {
        let answer = node.curl("/big.json?" + parameters)
        #expect(answer["transfer-encoding"] == "chunked")
        var body = answer.body
        if body.hasPrefix("f(") { body = String(body.dropFirst(2).dropLast(2)) }
        let value = json(body)
        #expect(value.children.count == LargeAnswerTests.count)
        let shallow = parameters.hasPrefix("shallow")
        #expect(shallow || value == node.value[Key(unchecked: "big")])
    }

    @Test mutating func `the answer to a large patch is whole`() {
        var body = "{\"a\":1"
        for number in 0..<LargeAnswerTests.count { body += ",\"k\(number)/x\":\(number)" }
        #expect(node.curl("/p.json", "PATCH", body: body + "}").body == body + "}")
    }

    @Test mutating func `a client that stops reading costs one part, and reads the old snapshot`() {
        let id = node.connect()
        node.stopped.insert(id)
        node.send(TestGateway.request("/big.json"), by: id)
        let first = node.read(id)
        #expect((60_000...80_000).contains(first.count))
        _ = node.curl("/big.json", "DELETE")
        node.resume(id)
        let answers = TestAnswer.all(in: first + node.read(id))
        #expect(answers.map(\.status) == [200])
        #expect(json(answers[0].body).children.count == LargeAnswerTests.count)
        // The connection goes on.
        node.send(TestGateway.request("/big.json"), by: id)
        #expect(node.answers(id).map(\.body) == ["null"])
    }

    @Test mutating func `requests sent ahead wait for the end of a large answer`() {
        let id = node.connect()
        node.stopped.insert(id)
        node.send(
            TestGateway.request("/big.json?shallow=true") + TestGateway.request("/none.json"),
            by: id)
        let first = node.read(id)
        node.resume(id)
        let answers = TestAnswer.all(in: first + node.read(id))
        #expect(answers.map(\.status) == [200, 200])
        #expect(answers.last?.body == "null")
    }

    @Test mutating func `a client that reads no part for a minute is closed`() {
        let id = node.connect()
        node.stopped.insert(id)
        node.send(TestGateway.request("/big.json"), by: id)
        node.wait(59_000)
        #expect(!node.closed.contains(id))
        node.wait(2_000)
        #expect(node.closed.contains(id))
    }

    @Test mutating func `a HEAD of a large answer ends at once`() {
        let id = node.connect()
        node.send(
            TestGateway.request("/big.json", "HEAD") + TestGateway.request("/none.json"), by: id)
        let text = node.text(id)
        #expect(text.utf8.count < 1_000)
        #expect(text.hasSuffix("null"))
    }

    @Test mutating func `a large answer for HTTP 1.0 ends with the connection`() {
        let id = node.connect()
        node.send("GET /big.json HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", by: id)
        let answers = node.answers(id)
        #expect(answers.count == 1)
        #expect(json(answers[0].body).children.count == LargeAnswerTests.count)
        #expect(node.closed.contains(id))
    }
}
