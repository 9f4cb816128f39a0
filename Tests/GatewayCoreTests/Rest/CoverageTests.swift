import DataTree
import ReplicaCore
import Rules
import SyncProtocol
import Testing

@testable import GatewayCore

/// `/.inspect/coverage.json` and its page.
@Suite struct `Coverage by HTTP` {
    private static let target = "/.inspect/coverage.json"
    private static let page = "/.inspect/coverage"
    private static let document =
        #"{"rules": {"<b>": {".read": "auth.uid == '<i>&' || data.val() == \"it's\""}}}"#
    private var node = TestGateway()

    private mutating func readAsUser(_ path: String) -> TestAnswer {
        node.client = .user(.user("u1"))
        defer { node.client = nil }
        return node.curl(path)
    }

    @Test mutating func `is counted from POST on, and until DELETE`() {
        _ = node.curl("/.settings/rules.json", "PUT", body: Self.document)
        let before = node.curl(Self.target)
        #expect(before.status == 200)
        #expect(before["content-type"] == "application/json; charset=utf-8")
        #expect(before.body.contains(#""isCounting":false"#))
        #expect(readAsUser("/%3Cb%3E.json").status == 401)
        let begun = node.curl(Self.target, "POST")
        #expect(begun.body.contains(#""isCounting":true"#) && begun.body.contains(#""judged":0"#))
        #expect(readAsUser("/%3Cb%3E.json").status == 401)
        let report = node.curl(Self.target)
        for part in [
            #""judged":1"#, #""node":"n1""#, #""location":"/<b>""#, #""outcomesSeen":3"#,
            #""outcomes":6"#,
            #"{"error":0,"false":1,"gap":"was never true","text":"auth.uid == '<i>&'","true":0}"#,
        ] {
            #expect(report.body.contains(part), "\(part) in \(report.body)")
        }
        #expect(node.curl(Self.target, "DELETE").body.contains(#""judged":1"#))
        #expect(node.curl(Self.target).body.contains(#""isCounting":false"#))
        #expect(node.curl(Self.target).body.contains(#""judged":0"#))
    }

    @Test mutating func `is a page that runs nothing and asks for nothing`() {
        #expect(node.curl(Self.page).body.contains("The database has no rules."))
        _ = node.curl("/.settings/rules.json", "PUT", body: Self.document)
        #expect(node.curl(Self.page).body.contains("does not count"))
        _ = node.curl(Self.target, "POST")
        _ = readAsUser("/%3Cb%3E.json")
        let answer = node.curl(Self.page)
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "text/html; charset=utf-8")
        #expect(answer["x-content-type-options"] == "nosniff")
        #expect(answer["content-security-policy"]?.hasPrefix("default-src 'none'; ") == true)
        for part in [
            "<h2>.read of /&lt;b&gt; <span class=note>line 1, column ",
            "counted since Tue, 14 Nov 2023 22:13:20 GMT: 1 operations",
            "<pre>auth.uid == &#39;&lt;i&gt;&amp;&#39; || data.val() == &quot;it&#39;s&quot;</pre>",
            "<tr class=half><td><code>auth.uid == &#39;&lt;i&gt;&amp;&#39;</code><td class=number>0<td class=number>1<td class=number>0<td>was never true</tr>",
        ] {
            #expect(answer.body.contains(part), "\(part) in \(answer.body)")
        }
        for part in ["<b>", "<i>", "it's", "<script", "http", "src="] {
            #expect(!answer.body.contains(part), "\(part)")
        }
    }

    @Test mutating func `is for administrators, by these methods`() {
        for method in ["PUT", "PATCH"] {
            #expect(node.curl(Self.target, method, body: "{}").status == 405, "\(method)")
        }
        for method in ["POST", "PUT", "DELETE"] {
            #expect(node.curl(Self.page, method).status == 405, "\(method)")
        }
        #expect(node.curl(Self.page, "HEAD").status == 200)
        #expect(node.curl("/.inspect/other.json").status != 200)
        node.client = .anonymous
        for path in [Self.target, Self.page] { #expect(node.curl(path).status == 401, "\(path)") }
        for method in ["POST", "DELETE"] {
            #expect(node.curl(Self.target, method).status == 401, "\(method)")
        }
    }
}
