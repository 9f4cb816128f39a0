import DataTree
import HTTPText
import ReplicaCore
import Rules
import SyncProtocol
import Testing

@testable import GatewayCore

/// `/.settings/rules.json`, and what REST says of what rules refuse.
@Suite struct RulesDocumentTests {
    private static let target = "/.settings/rules.json"
    /// The document of a node without rules.
    private static let none = #"{"rules":{}}"#
    /// With a comment, a raw line break in an expression, and commas at ends.
    private static let document = """
        {"rules": { // who reads
          "z": {".read": "auth != null &&
            auth.uid == 'a'",}, "open": {".read": true, ".write": true},
        }}
        """
    private var node = TestGateway()

    @Test mutating func `a node without rules shows rules that permit nothing, and null_etag`() {
        let answer = node.curl(Self.target)
        #expect(answer.status == 200)
        #expect(answer.body == Self.none)
        #expect(answer["etag"] == "null_etag")
    }

    @Test mutating func `65: rules are given back as they were written`() {
        let put = node.curl(Self.target, "PUT", body: Self.document)
        #expect(put.status == 200)
        #expect(put.body == #"{"status":"ok"}"#)
        let answer = node.curl(Self.target)
        #expect(answer.body == Self.document)
        #expect(answer["etag"] == put["etag"])
    }

    @Test(arguments: ["all", "majority", "local"])
    mutating func `rules are confirmed by as many nodes as are asked for`(concern: String) {
        let put = node.curl(Self.target + "?confirm=\(concern)", "PUT", body: Self.document)
        #expect(put.status == 200 && put["hearth-concern"] == concern)
        let other = node.curl(Self.target + "?confirm=most", "PUT", body: #"{"rules":{}}"#)
        #expect(other.status == 400 && other.body.contains("confirm cannot be most"))
        #expect(node.curl(Self.target).body == Self.document)
    }

    @Test(arguments: [
        ("?confirm=all", 3_000), ("?confirm=majority", 3_000), ("?confirm=all&timeout=800ms", 800),
        ("?confirm=all&timeout=800", 800), ("?confirm=all&timeout=5s", 5_000),
        ("?confirm=majority&timeout=1min", 60_000),
    ])
    func `rules that are not confirmed in time name the members without them`(
        query: String, milliseconds: UInt64
    ) {
        var node = TestGateway(members: ["n1", "n3", "n2"])
        let id = node.connect()
        node.send(TestGateway.request(Self.target + query, "PUT", body: Self.document), by: id)
        node.wait(milliseconds - 50)
        #expect(node.answers(id) == [])
        node.wait(100)
        let answers = node.answers(id)
        #expect(answers.map(\.status) == [200])
        #expect(answers.first?["hearth-concern"] == "local")
        #expect(answers.first?.body == #"{"status":"ok","missing":["n2","n3"]}"#)
        #expect(answers.first?["etag"] == node.curl(Self.target)["etag"])
    }

    @Test func `a conflict of rules names no author`() {
        var node = TestGateway(members: ["n1", "n2"])
        let id = node.connect()
        let request = TestGateway.request(
            Self.target + "?confirm=all", "PUT", body: Self.document)
        node.send(request, by: id)
        _ = node.curl(Self.target, "PUT", body: #"{"rules":{}}"#)
        node.wait(3_100)
        #expect(node.answers(id).map(\.body) == [#"{"status":"ok"}"#])
    }

    @Test(arguments: ["0", "0s", "soon", "16min", "900001", "-1s", "99999999999999999999s", ""])
    mutating func `a timeout is a time`(timeout: String) {
        let answer = node.curl(
            Self.target + "?confirm=all&timeout=\(timeout)", "PUT", body: Self.document)
        #expect(
            answer.status == 400 && answer.body.contains("timeout is not a time from 1ms to 15min"))
        #expect(node.curl(Self.target + "?timeout=\(timeout)").body == Self.none)
    }

    @Test(arguments: [
        "/.settings/rules/status.json", "/.settings/rules/history.json", "/.inspect/coverage.json",
        "/.inspect/coverage",
    ])
    func `a starting node answers only metrics`(target: String) {
        var node = TestGateway(serving: false)
        #expect(node.curl(target).status == 503)
        #expect(node.curl("/metrics").status == 200)
    }

    @Test mutating func `administrators read which rules there were`() {
        let target = "/.settings/rules/history.json"
        #expect(node.curl(target).body == #"{"node":"n1"}"#)
        _ = node.curl(Self.target, "PUT", body: #"{"rules":{}}"#)
        _ = node.curl(Self.target, "PUT", body: Self.document)
        let answer = node.curl(target)
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "application/json; charset=utf-8")
        #expect(answer.body.contains(#""source":"{\"rules\":{}}""#), "\(answer.body)")
        #expect(answer.body.hasPrefix(#"{"node":"n1","records":[{"acceptedMilliseconds":"#))
        #expect(node.curl(target, "DELETE").status == 405)
        node.client = .anonymous
        #expect(node.curl(target).status == 401)
    }

    @Test mutating func `administrators read which rules a node enforces`() throws {
        let target = "/.settings/rules/status.json"
        var node = TestGateway(configuring: { $0.unidentified = .anonymous })
        node.client = .administrator(name: nil)
        #expect(node.curl(target).body == "null")
        let put = node.curl(Self.target, "PUT", body: Self.document)
        let answer = node.curl(target)
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "application/json; charset=utf-8")
        for part in [
            "\"digest\":\"\(try #require(put["etag"]))\"", "\"isEnforced\":true",
            "\"ageMilliseconds\":", "\"members\":{\"n1\":true}",
        ] {
            #expect(answer.body.contains(part), "\(answer.body)")
        }
        #expect(node.curl(target, "PUT", body: "{}").status == 405)
        #expect(node.curl("/.settings/rules/other.json").status == 404)
        node.client = .anonymous
        #expect(node.curl(target).status == 401)
    }

    @Test mutating func `66: bad rules are refused by Firebase's text, and the old ones stay`() {
        _ = node.curl(Self.target, "PUT", body: Self.document)
        let answer = node.curl(
            Self.target, "PUT", body: "{\"rules\": {\n\".read\": \"auth.x\"}}")
        #expect(answer.status == 400)
        #expect(
            answer.body.hasPrefix(
                #"{ "error" : "2:11: Expression must evaluate to a boolean.\n""#))
        #expect(node.curl(Self.target).body == Self.document)
    }

    @Test mutating func `a node whose clients are all administrators enforces no rules`() {
        _ = node.curl(Self.target, "PUT", body: Self.document)
        let status = node.curl("/.settings/rules/status.json").body
        #expect(status.contains(#""isEnforced":false"#), "\(status)")
        #expect(status.contains(#""members":{"n1":true}"#), "\(status)")
    }

    @Test mutating func `a fault that quotes a line feed of the document is shown whole`() {
        let answer = node.curl(Self.target, "PUT", body: "{\"rules\":{\".read\":\"\\\n\"}}")
        #expect(answer.status == 400)
        #expect(
            answer.body.hasPrefix(#"{ "error" : "1:20: Invalid escape: '\\\n'\n", "fix""#),
            "\(answer.body)")
    }

    @Test mutating func `two faults are named together`() {
        let answer = node.curl(
            Self.target, "PUT", body: #"{"rules":{".read":"auth.x",".write":"y"}}"#)
        #expect(
            answer.body.hasPrefix(
                #"{ "error" : "1:20: Expression must evaluate to a boolean.\n", "detail" : "1:20: "#
            ),
            "\(answer.body)")
        #expect(answer.body.contains("Unknown variable 'y'."))
    }

    @Test mutating func `if-match keeps rules from being replaced unseen`() {
        let tag = node.curl(Self.target, "PUT", ["if-match: null_etag"], body: Self.document)[
            "etag"]
        let stale = node.curl(Self.target, "PUT", ["if-match: null_etag"], body: Self.document)
        #expect(stale.status == 412)
        let next = node.curl(
            Self.target, "PUT", ["if-match: \(tag ?? "")"], body: #"{"rules":{}}"#)
        #expect(next.status == 200)
    }

    @Test mutating func `rules are read as plain JSON, if that is wanted`() {
        #expect(node.curl(Self.target + "?format=strict").body == Self.none)
        let put = node.curl(Self.target, "PUT", body: Self.document)
        let answer = node.curl(Self.target + "?format=strict")
        #expect(
            answer.body
                == #"{"rules":{"z":{".read":"auth != null &&\n    auth.uid == 'a'"},"open":{".read":true,".write":true}}}"#
        )
        #expect(answer["etag"] == put["etag"])
    }

    @Test(arguments: ["", "&dryRun=true"])
    mutating func `warnings are returned on request`(more: String) {
        let document = #"{"rules": {".read": true, "a": {".read": false}}}"#
        let target = Self.target + "?warnings=true" + more
        let answer = node.curl(target, "PUT", body: document)
        #expect(answer.body.hasPrefix(#"{"status":"ok","warnings":["1:21: every client may read"#))
        #expect(answer.body.contains("[shadowed]"))
        let fine = node.curl(target, "PUT", body: #"{"rules":{}}"#)
        #expect(fine.body == #"{"status":"ok","warnings":[]}"#)
    }

    @Test(arguments: [
        ("{\".sv\":\"timestamp\"}", 1_700_000_000_000), ("{\".sv\":{\"increment\":2}}", 7),
    ])
    mutating func `a client that may write but not read receives only the written value`(
        value: String, stored: Int64
    ) {
        let rules = #"{"rules":{"drop":{".write":true},"both":{".read":true,".write":true}}}"#
        _ = node.curl(Self.target, "PUT", body: rules)
        _ = node.curl("/.json", "PUT", body: #"{"drop":{"a":5,"b":5},"both":5}"#)
        node.client = .anonymous
        let put = node.curl("/drop/a.json", "PUT", ["X-Firebase-ETag: true"], body: value)
        #expect(put.status == 200 && put.body == value && put["etag"] == nil)
        let silent = node.curl("/drop/b.json?print=silent", "PUT", body: value)
        #expect(silent.status == 204)
        // Of several, those that may be read are resolved.
        let patch = node.curl(
            "/.json", "PATCH", body: "{\"drop/c\":\(value),\"both\":\(value)}")
        #expect(patch.status == 200)
        #expect(patch.body.contains("\"drop/c\":\(value)"))
        #expect(patch.body.contains("\"both\":") && !patch.body.contains("\"both\":\(value)"))
        let number = node.value[Key(unchecked: "drop")][Key(unchecked: "a")]
        if case .integer(let number) = number {
            #expect(number >= stored && number < stored + 1_000)
        } else {
            Issue.record("\(number) is not what was written")
        }
        let push = node.curl("/drop.json", "POST", body: value)
        #expect(push.status == 200 && push.body.contains("name"))
    }

    @Test mutating func `a conditional write reveals no more than its sender may read`() {
        let rules = #"{"rules":{"drop":{".write":true},"both":{".read":true,".write":true}}}"#
        _ = node.curl(Self.target, "PUT", body: rules)
        _ = node.curl("/.json", "PUT", body: #"{"drop":5,"both":5,"vault":5}"#)
        let tag = node.curl("/both.json", "GET", ["X-Firebase-ETag: true"])["etag"] ?? ""
        node.client = .anonymous
        for other in ["null_etag", "x"] {
            for (place, status) in [("both", 412), ("vault", 401)] {
                let answer = node.curl("/\(place).json", "PUT", ["if-match: \(other)"], body: "6")
                #expect(answer.status == status && (answer.body == "5") == (status == 412))
            }
        }
        let refused = node.curl("/drop.json", "PUT", ["if-match: null_etag"], body: "6")
        #expect(refused.status == 412 && refused["etag"] == nil && !refused.body.contains("5"))
        #expect(node.curl("/drop.json", "PUT", ["if-match: \(tag)"], body: "6").status == 200)
        #expect(node.curl("/vault.json", "PUT", ["if-match: \(tag)"], body: "6").status == 401)
    }

    @Test mutating func `a read without parameters is one in the order of keys`() {
        let rules =
            #"{"rules":{"k":{".read":"query.orderByKey"},"p":{".read":"query.orderByPriority"}}}"#
        _ = node.curl(Self.target, "PUT", body: rules)
        _ = node.curl("/k.json", "PUT", body: #"{"b":1,"a":2}"#)
        node.client = .anonymous
        #expect(node.curl("/k.json").body == #"{"a":2,"b":1}"#)
        #expect(node.curl("/k.json?shallow=true").status == 200)
        #expect(node.curl("/k.json?orderBy=%22$key%22&limitToFirst=1").status == 200)
        #expect(node.curl("/k.json?orderBy=%22$priority%22&limitToFirst=1").status == 401)
        #expect(node.curl("/p.json").status == 401)
    }

    @Test mutating func `a dry run changes nothing`() {
        #expect(node.curl(Self.target + "?dryRun=true", "PUT", body: Self.document).status == 200)
        #expect(node.curl(Self.target).body == Self.none)
    }

    @Test(arguments: ["GET", "PUT"])
    mutating func `users may neither read nor replace rules`(method: String) {
        _ = node.curl(Self.target, "PUT", body: Self.document)
        node.client = .user(.user("a"))
        let answer = node.curl(Self.target, method, body: method == "PUT" ? "{}" : nil)
        #expect(answer.status == 401)
        #expect(answer.body.contains(#""error" : "Permission denied""#))
    }

    @Test(arguments: ["/.settings.json", "/.settings/rules/source.json", "/.settings/a/b.json"])
    mutating func `settings are no data`(target: String) {
        _ = node.curl(Self.target, "PUT", body: Self.document)
        #expect(node.curl(target).status == 404)
        #expect(node.curl(target, "PUT", body: "1").status == 404)
        #expect(node.curl("/.json").body == "null")
    }

    @Test mutating func `13 and 48: a refusal is 401, whatever was asked`() {
        _ = node.curl(Self.target, "PUT", body: Self.document)
        node.client = .anonymous
        for (method, body) in [("GET", nil), ("PUT", "1"), ("POST", "1"), ("DELETE", nil)] {
            let answer = node.curl("/z.json", method, body: body)
            #expect(answer.status == 401, "\(method)")
            #expect(answer.body.contains(#""error" : "Permission denied""#))
        }
        #expect(node.curl("/z.json", "PATCH", body: #"{"a":1}"#).status == 401)
        #expect(node.curl("/open.json", "PUT", body: "1").status == 200)
        node.client = .user(.user("a"))
        #expect(node.curl("/z.json").status == 200)
    }

    @Test mutating func `only an administrator who acts as a user learns why rules refuse`() {
        let document =
            #"{"rules": {"z": {".read": "data.val() == 'é'", ".write": "data.val() == 'é'"}}}"#
        _ = node.curl(Self.target, "PUT", body: document)
        for (method, body) in [("GET", nil), ("PUT", "1"), ("POST", "1"), ("DELETE", nil)] {
            node.client = .override(.user("eve"))
            let answer = node.curl("/z.json", method, body: body)
            #expect(answer.status == 401, "\(method)")
            let reasons = answer["x-firebase-auth-debug"]
            #expect(
                reasons?.hasSuffix(
                    #"at /z: data.val() == '\u00e9' is false, as data.val() is null"#) == true,
                "\(method): \(reasons ?? "none")")
            #expect(!answer.body.contains("data.val()"))
            node.client = .user(.user("eve"))
            #expect(node.curl("/z.json", method, body: body)["x-firebase-auth-debug"] == nil)
        }
    }

    @Test mutating func `a stream that is no longer permitted is cancelled and closed`() {
        _ = node.curl(Self.target, "PUT", body: Self.document)
        node.client = .user(.user("a"))
        let stream = node.connect()
        node.send(
            TestGateway.request("/z.json", "GET", ["Accept: text/event-stream"]), by: stream)
        #expect(node.text(stream).contains("event: put"))
        node.client = .administrator(name: nil)
        _ = node.curl(Self.target, "PUT", body: #"{"rules":{}}"#)
        #expect(node.text(stream).contains("event: cancel\ndata: null\n\n"))
        #expect(node.closed.contains(stream))
    }
}
