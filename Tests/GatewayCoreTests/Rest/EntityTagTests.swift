import DataTree
import HTTPText
import JSONText
import ReplicaCore
import SyncProtocol
import Testing

@testable import GatewayCore

/// ETags, `if-match` and `if-none-match`.
@Suite struct EntityTagTests {
    private var node = TestGateway()
    private let asking = ["X-Firebase-ETag: true"]

    private mutating func tag(_ target: String) -> String {
        node.curl(target, "GET", asking)["etag"] ?? ""
    }

    @Test mutating func `a read has an ETag if it is asked for, which is the data hash`() {
        _ = node.curl("/c.json", "PUT", body: "4")
        #expect(node.curl("/c.json")["etag"] == nil)
        #expect(tag("/c.json") == DataHash(of: .integer(4)).text)
        #expect(tag("/none.json") == "null_etag")
        _ = node.curl("/d.json", "PUT", body: "4")
        #expect(tag("/d.json") == tag("/c.json"))
    }

    @Test mutating func `the ETag of a large value takes several turns, and others do not wait`() {
        var children = Children()
        for number in 0..<20_000 {
            children[Key(unchecked: "k\(number)")] = .object(named: [
                ("a", .string("text")), ("n", .integer(1)),
            ])
        }
        let value = Value(children)
        let connections = [node.connect(), node.connect()]
        node.ask(
            .put(id: 1, path: Path([Key(unchecked: "large")]), value: value),
            by: SessionID(number: 99))
        let head = "HEAD /large.json HTTP/1.1\r\nHost: localhost\r\nX-Firebase-ETag: true\r\n\r\n"
        node.turns = 0
        for id in connections { node.send(head, by: id) }
        #expect(node.turns > 5)
        for id in connections {
            #expect(node.text(id).contains("ETag: \(DataHash(of: value).text)\r\n"))
        }
        #expect(!node.gateway.hasDueWork)
    }

    @Test mutating func `a write returns the new ETag on request`() {
        let answer = node.curl("/c.json", "PUT", asking, body: #"{".sv":{"increment":3}}"#)
        #expect(answer["etag"] == DataHash(of: .integer(3)).text)
        #expect(node.curl("/c.json", "PUT", body: "1")["etag"] == nil)
        #expect(node.curl("/c.json", "DELETE", asking)["etag"] == "null_etag")
    }

    @Test(arguments: ["wrong", "invalid-etag", "", "4444444444444444444444444444"])
    mutating func `16: a put on another value is refused with the present value`(wrong: String) {
        _ = node.curl("/c.json", "PUT", body: "4")
        let tag = tag("/c.json")
        let refused = node.curl("/c.json", "PUT", ["if-match: \(wrong)"], body: "5")
        #expect(refused.status == 412)
        #expect(refused.body == "4")
        #expect(refused["etag"] == tag)
        #expect(node.curl("/c.json").body == "4")
    }

    @Test func `a put for which the node has no room is good, and the node is not`() {
        var limits = ReplicaLimits()
        limits.forwardedTransactions = 0
        var node = TestGateway(limits: limits, members: ["n1", "n2", "n3"])
        let refused = node.curl("/c.json", "PUT", ["if-match: null_etag"], body: "5")
        #expect(refused.status == 503)
        #expect(refused.body.contains("wait at this node already"))
        #expect(refused.body.contains("at another node"))
        #expect(node.value.isNull)
    }

    @Test(arguments: ["", "\"", "W/\""])
    mutating func `16: a put on the expected value is executed, with a new ETag`(quote: String) {
        _ = node.curl("/c.json", "PUT", body: "4")
        let tag = tag("/c.json")
        let end = quote.isEmpty ? "" : "\""
        let done = node.curl("/c.json", "PUT", ["if-match: \(quote)\(tag)\(end)"], body: "5")
        #expect(done.status == 200)
        #expect(done.body == "5")
        #expect(done["etag"] == DataHash(of: .integer(5)).text)
        #expect(node.curl("/c.json").body == "5")
    }

    @Test mutating func `a conditional put of a server value returns the stored value`() {
        _ = node.curl("/c.json", "PUT", body: "4")
        let done = node.curl(
            "/c.json", "PUT", ["if-match: \(tag("/c.json"))"], body: #"{".sv":{"increment":2}}"#)
        #expect(done.body == "6")
        #expect(done["etag"] == DataHash(of: .integer(6)).text)
    }

    @Test func `a conditional put reads the stored server value afterwards`() throws {
        let text = TestGateway.request("/c.json", "PUT", ["if-match: null_etag"])
        var reader = RequestReader()
        reader.receive(Array(text.utf8))
        guard case .head(let head)? = reader.next() else {
            Issue.record("no head")
            return
        }
        let request = try #require(try RestRequest(head, mayLoadScript: true, JSONReader()))
        var numbers = RequestNumbers()
        var exchange = WriteExchange(request, .put(.deferred(.timestamp)), &numbers)
        #expect(exchange.opening.count == 1)
        guard case .asks(let reads) = exchange.step(.ok(id: exchange.opening[0].id), &numbers)
        else {
            Issue.record("nothing is asked")
            return
        }
        #expect(reads == [.get(id: 2, path: request.path)])
    }

    @Test mutating func `17: null_etag means an empty location`() {
        let condition = ["if-match: null_etag"]
        #expect(node.curl("/new.json", "PUT", condition, body: "1").status == 200)
        let refused = node.curl("/new.json", "PUT", condition, body: "2")
        #expect(refused.status == 412)
        #expect(refused.body == "1")
    }

    @Test mutating func `a delete may have a condition`() {
        _ = node.curl("/c.json", "PUT", body: "4")
        #expect(node.curl("/c.json", "DELETE", ["if-match: wrong"]).status == 412)
        let done = node.curl("/c.json", "DELETE", ["if-match: \(tag("/c.json"))"])
        #expect(done.status == 200)
        #expect(done["etag"] == "null_etag")
        #expect(node.value.isNull)
    }

    @Test
    mutating func `a silent condition that holds has no body, and one that fails has the value`() {
        let condition = ["if-match: null_etag"]
        let done = node.curl("/c.json?print=silent", "PUT", condition, body: "1")
        #expect(done.status == 204)
        #expect(done["etag"] == DataHash(of: .integer(1)).text)
        let refused = node.curl("/c.json?print=silent", "PUT", condition, body: "2")
        #expect(refused.status == 412)
        #expect(refused.body == "1")
    }

    @Test(arguments: ["PATCH", "POST"])
    mutating func `other writes accept no condition`(method: String) {
        let answer = node.curl("/c.json", method, ["if-match: null_etag"], body: #"{"a":1}"#)
        #expect(answer.status == 400)
        #expect(node.value.isNull)
    }

    @Test mutating func `18: a read of unchanged data is empty`() {
        _ = node.curl("/c.json", "PUT", body: "4")
        let tag = tag("/c.json")
        let same = node.curl("/c.json", "GET", ["if-none-match: \(tag)"])
        #expect(same.status == 304)
        #expect(same.body.isEmpty)
        #expect(same["etag"] == tag)
        let other = node.curl("/c.json", "GET", ["if-none-match: wrong"])
        #expect(other.status == 200)
        #expect(other.body == "4")
        #expect(other["etag"] == tag)
    }
}
