import DataTree
import Testing

@testable import GatewayCore

/// The cases of `gateway.md`, section 6, as far as one node without a network shows them.
@Suite struct CurlTests {
    private var node = TestGateway()

    /// The data after the first cases.
    private static let people = #"{"ada":{"n":4},"bob":{"n":1},"cy":{"n":9}}"#

    private mutating func putPeople() {
        #expect(node.curl("/u.json", "PUT", body: CurlTests.people).status == 200)
    }

    @Test mutating func `1: a put answers with the data`() {
        let body = #"{"ada":{"n":3},"bob":{"n":1}}"#
        let answer = node.curl("/u.json", "PUT", body: body)
        #expect(answer.status == 200)
        #expect(answer.body == body)
        #expect(node.value == json(#"{"u":{"ada":{"n":3},"bob":{"n":1}}}"#))
    }

    @Test(arguments: ["/u/ada.json", "/u/ada/.json", "//u//ada.json", "/u/%61da.json"])
    mutating func `2: a location has several spellings`(target: String) {
        putPeople()
        let answer = node.curl(target)
        #expect(answer.status == 200)
        #expect(answer.body == #"{"n":4}"#)
        #expect(answer["content-type"] == "application/json; charset=utf-8")
        #expect(answer["cache-control"] == "no-cache")
        #expect(answer["x-content-type-options"] == "nosniff")
    }

    @Test mutating func `3: nothing is null`() {
        #expect(node.curl("/none.json").body == "null")
    }

    @Test mutating func `4: names of posts ascend`() {
        var names: [String] = []
        for _ in 0..<100 {
            let answer = node.curl("/l.json", "POST", body: #"{"t":1}"#)
            #expect(answer.status == 200)
            guard case .string(let name)? = answer.json?[Key(unchecked: "name")] else {
                Issue.record("no name in \(answer.body)")
                return
            }
            names.append(name)
        }
        #expect(names.allSatisfy { $0.utf8.count == 20 })
        #expect(names == names.sorted() && Set(names).count == 100)
        #expect(node.value[Key(unchecked: "l")].children.count == 100)
    }

    @Test mutating func `5: a patch has keys that are paths`() {
        _ = node.curl("/u.json", "PUT", body: #"{"ada":{"n":3},"bob":{"n":1}}"#)
        let body = #"{"ada/n":4,"cy":{"n":9}}"#
        let answer = node.curl("/u.json", "PATCH", body: body)
        #expect(answer.status == 200)
        #expect(answer.body == body)
        #expect(node.curl("/u.json").body == CurlTests.people)
    }

    @Test mutating func `6: a delete answers null`() {
        putPeople()
        let answer = node.curl("/u/bob.json", "DELETE")
        #expect(answer.status == 200)
        #expect(answer.body == "null")
        #expect(node.curl("/u/bob.json").body == "null")
    }

    @Test(arguments: ["PUT", "PATCH", "GET"])
    mutating func `7: a silent answer has no body`(method: String) {
        let body = method == "GET" ? nil : #"{"a":1}"#
        let answer = node.curl("/s.json?print=silent", method, body: body)
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        #expect(answer["content-type"] == nil)
        #expect(answer["content-length"] == nil)
    }

    @Test mutating func `8: a shallow read shows keys`() {
        putPeople()
        #expect(node.curl("/u.json?shallow=true").body == #"{"ada":true,"bob":true,"cy":true}"#)
        #expect(node.curl("/u/ada/n.json?shallow=true").body == "4")
        #expect(node.curl("/none.json?shallow=true").body == "null")
    }

    @Test(arguments: [
        (#"orderBy="n"&limitToLast=1"#, #"{"cy":{"n":9}}"#),
        (#"limitToLast=1&orderBy=%22n%22"#, #"{"cy":{"n":9}}"#),
        (#"orderBy="$key"&startAfter="bob""#, #"{"cy":{"n":9}}"#),
        (#"orderBy="%24key"&startAfter="bob""#, #"{"cy":{"n":9}}"#),
    ])
    mutating func `9, 10: queries are raw or encoded, in any order`(query: String, shown: String) {
        putPeople()
        let answer = node.curl("/u.json?" + query)
        #expect(answer.status == 200)
        #expect(answer.body == shown)
    }

    @Test(arguments: [
        (
            "limitToFirst=1", "orderBy must be defined when other query parameters are defined"
        ),
        (
            #"orderBy="n"&equalTo=1&startAt=1"#,
            "equalTo cannot be specified in addition to startAt or endAt"
        ),
    ])
    mutating func `11, 12: errors of queries have the texts of Firebase`(
        query: String, text: String
    ) {
        let answer = node.curl("/u.json?" + query)
        #expect(answer.status == 400)
        #expect(answer.error == text)
    }

    @Test mutating func `13: lists are arrays, except in an export`() {
        _ = node.curl("/a.json", "PUT", body: #"["a","b",null,"d"]"#)
        #expect(node.curl("/a.json").body == #"["a","b",null,"d"]"#)
        #expect(node.curl("/a.json?format=export").body == #"{"0":"a","1":"b","3":"d"}"#)
    }

    @Test mutating func `14: priorities show in an export`() {
        _ = node.curl("/p.json", "PUT", body: #"{".value":5,".priority":2}"#)
        #expect(node.curl("/p.json").body == "5")
        #expect(node.curl("/p.json?format=export").body == #"{".value":5,".priority":2}"#)
        #expect(node.curl("/p/.priority.json").body == "2")
        _ = node.curl("/p/.priority.json", "PUT", body: "7")
        #expect(node.curl("/p.json?format=export").body == #"{".value":5,".priority":7}"#)
    }

    @Test mutating func `15: server values are resolved, and the answer shows it`() {
        #expect(node.curl("/c.json", "PUT", body: #"{".sv":{"increment":2}}"#).body == "2")
        #expect(node.curl("/c.json", "PUT", body: #"{".sv":{"increment":2}}"#).body == "4")
        let answer = node.curl("/t.json", "PUT", body: #"{".sv":"timestamp"}"#)
        let age = Int64(answer.body)! - Int64(TestGateway.wallMilliseconds)
        #expect((0..<1000).contains(age))
        let patch = node.curl(
            "/d.json", "PATCH", body: #"{"a":1,"b/c":{".sv":{"increment":3}},"d":null}"#)
        #expect(patch.body == #"{"a":1,"b/c":3,"d":null}"#)
    }

    @Test mutating func `19: invalid data are refused with Firebase's text`() {
        for body in [#"{"a":"#, #"{"a.b":1}"#] {
            let answer = node.curl("/x.json", "PUT", body: body)
            #expect(answer.status == 400)
            #expect(
                answer.error == "Invalid data; couldn't parse JSON object, array, or value. "
                    + "Perhaps you're using invalid characters in your key names.")
        }
        #expect(node.value.isNull)
    }

    @Test mutating func `20: a path without .json gets a hint`() {
        let answer = node.curl("/u")
        #expect(answer.status == 404)
        #expect(answer.body == "append .json to your request URI to use the REST API.\n")
    }

    @Test mutating func `21: a post can be a patch, and a read can be a script`() {
        putPeople()
        let answer = node.curl(
            "/u.json", "POST", ["X-HTTP-Method-Override: PATCH"], body: #"{"z":1}"#)
        #expect(answer.body == #"{"z":1}"#)
        #expect(node.curl("/u/z.json?x-http-method-override=DELETE", "POST").body == "null")
        #expect(node.curl("/u.json").body == CurlTests.people)
        let script = node.curl("/u/ada/n.json?callback=f")
        #expect(script.body == "f(4);")
        #expect(script["content-type"] == "application/javascript; charset=utf-8")
    }

    @Test mutating func `24: other hosts, other pages and compressed bodies are refused`() {
        #expect(node.curl("/u.json", "GET", ["Host: evil.test"]).status == 421)
        let post = node.curl("/u.json", "POST", ["Origin: http://evil.test"], body: "1")
        #expect(post.status == 403)
        #expect(node.curl("/u.json", "PUT", ["Content-Encoding: gzip"], body: "1").status == 415)
        #expect(node.value.isNull)
        #expect(node.asks == 0)
    }
}
