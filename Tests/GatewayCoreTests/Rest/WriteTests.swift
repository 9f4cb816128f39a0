import DataTree
import Testing

@testable import GatewayCore

/// Writes over REST beyond the curl cases.
@Suite struct WriteTests {
    private var node = TestGateway()

    private static let invalid =
        "Invalid data; couldn't parse JSON object, array, or value. "
        + "Perhaps you're using invalid characters in your key names."

    @Test mutating func `a patch of null removes, and an empty one changes nothing`() {
        _ = node.curl("/a.json", "PUT", body: #"{"b":1}"#)
        let empty = node.curl("/a.json", "PATCH", body: " {} ")
        #expect(empty.status == 200)
        #expect(empty.body == "{}")
        #expect(node.value == json(#"{"a":{"b":1}}"#))
        #expect(node.curl("/a.json", "PATCH", body: " null\n").body == "null")
        #expect(node.value.isNull)
    }

    @Test(arguments: ["PUT", "PATCH", "POST"], ["", " \r\n\t"])
    mutating func `a write without a body is refused`(method: String, body: String) {
        let answer = node.curl("/a.json", method, body: body)
        #expect(answer.status == 400)
        #expect(answer.error == "Error: No data supplied.")
        #expect(node.value.isNull)
    }

    @Test(arguments: [
        ("PUT", #"{"a":"#), ("PUT", #"{"a.b":1}"#), ("PUT", "{\"\u{1}\":1}"), ("PUT", "{'a':1}"),
        ("PUT", #"{"":1}"#), ("PUT", #"{".value":{"a":1}}"#), ("PUT", #"{".value":1,"a":1}"#),
        ("PUT", #"{".priority":true,"a":1}"#), ("PUT", #"{".sv":"now"}"#), ("PUT", "1 2"),
        ("PUT", "\u{FEFF}x"),
        ("PATCH", "[1]"), ("PATCH", "5"), ("PATCH", #"{"a/$b":1}"#), ("PATCH", #"{"":1}"#),
        ("PATCH", #"{"a":1,"a/b":2}"#), ("PATCH", #"{"a":1,"a":2}"#),
        ("PATCH", #"{"a/.priority":{"x":1}}"#),
        ("POST", "{"), ("POST", #"{"a#":1}"#),
    ])
    mutating func `invalid data are refused, with the location and a fix`(
        method: String, body: String
    ) {
        let answer = node.curl("/x.json", method, body: body)
        #expect(answer.status == 400)
        #expect(answer.error == WriteTests.invalid)
        #expect(answer.json?[Key(unchecked: "detail")].isNull == false)
        #expect(answer.json?[Key(unchecked: "fix")].isNull == false)
        #expect(node.value.isNull)
    }

    @Test mutating func `data that is too deep, or has too long keys and strings, is refused`() {
        let deep = String(repeating: #"{"a":"#, count: 31) + "1" + String(repeating: "}", count: 31)
        #expect(node.curl("/x.json", "PUT", body: deep).status == 200)
        #expect(node.curl("/x/y.json", "PUT", body: deep).error == WriteTests.invalid)
        let key = String(repeating: "k", count: 769)
        #expect(node.curl("/x.json", "PUT", body: "{\"\(key)\":1}").error == WriteTests.invalid)
        #expect(node.curl("/\(key).json", "PUT", body: "1").status == 400)
        let text = String(repeating: "s", count: 10 << 20 + 1)
        #expect(node.curl("/x.json", "PUT", body: "\"\(text)\"").error == WriteTests.invalid)
    }

    @Test(arguments: ["PUT", "DELETE", "PATCH"])
    mutating func `a post is another method if it says so`(method: String) {
        _ = node.curl("/a.json", "PUT", body: #"{"b":1}"#)
        let body = #"{"c":2}"#
        let answer = node.curl(
            "/a.json?x-http-method-override=\(method.lowercased())", "POST", body: body)
        #expect(answer.status == 200)
        let expected = ["PUT": body, "DELETE": "null", "PATCH": #"{"b":1,"c":2}"#][method]!
        #expect(node.curl("/a.json").body == expected)
    }

    @Test mutating func `a post is no other method`() {
        let answer = node.curl("/a.json", "POST", ["X-HTTP-Method-Override: GET"], body: "1")
        #expect(answer.status == 400)
        #expect(node.value.isNull)
    }

    @Test(arguments: ["TRACE", "PROPFIND", "CONNECT"])
    mutating func `other methods are refused`(method: String) {
        #expect(node.curl("/a.json", method).status == 405)
    }

    @Test mutating func `a priority is written only by put and delete`() {
        _ = node.curl("/a.json", "PUT", body: "1")
        #expect(node.curl("/a/.priority.json", "PUT", body: #""p""#).body == #""p""#)
        #expect(node.curl("/a/.priority.json", "PUT", body: "true").error == WriteTests.invalid)
        #expect(node.curl("/a/.priority.json", "PATCH", body: #"{"x":1}"#).status == 400)
        #expect(node.curl("/a/.priority.json", "POST", body: "1").status == 400)
        #expect(node.curl("/a/.priority.json", "DELETE").status == 200)
        let refused = node.curl("/nothing/.priority.json", "PUT", body: "5")
        #expect(refused.status == 400)
        #expect(refused.body.contains("/nothing has no value, so it cannot have a priority"))
        #expect(node.curl("/nothing/.priority.json", "DELETE").status == 200)
        #expect(node.curl("/a.json?format=export").body == "1")
    }

    @Test(arguments: [
        ("PUT", "majority", "1"), ("PUT", "all", "1"), ("PATCH", "local", #"{"c":1}"#),
        ("DELETE", "majority", "null"),
    ])
    mutating func `a concern is answered with what was reached`(
        method: String, concern: String, body: String
    ) {
        let id = node.connect()
        node.send(
            TestGateway.request("/a.json", method, ["Hearth-Concern: \(concern)"], body: body),
            by: id)
        for _ in 0..<4 { node.wait(250) }
        let answers = node.answers(id)
        #expect(answers.map(\.status) == [200])
        #expect(answers.first?["hearth-concern"] == concern)
        #expect(answers.first?.body == body)
    }

    @Test mutating func `a write without a concern, or with an unknown one, has none`() {
        #expect(node.curl("/a.json", "PUT", body: "1")["hearth-concern"] == nil)
        #expect(node.curl("/a.json", "PUT", ["Hearth-Concern: most"], body: "1").status == 400)
        #expect(node.curl("/a.json", "POST", ["Hearth-Concern: all"], body: "1").status == 400)
    }

    @Test mutating func `the answer to a put is the data in plain form`() {
        let body = #"{"b":{".value":1,".priority":2},"n":null,"e":{}}"#
        #expect(node.curl("/a.json", "PUT", body: body).body == #"{"b":1}"#)
        let export = node.curl("/a.json?format=export", "PUT", body: body).body
        #expect(export == #"{"b":{".value":1,".priority":2}}"#)
    }

    @Test mutating func `a delete and a read ignore a body`() {
        _ = node.curl("/a.json", "PUT", body: "1")
        #expect(node.curl("/a.json", "GET", body: "nonsense").body == "1")
        #expect(node.curl("/a.json", "DELETE", body: "nonsense").body == "null")
    }
}
