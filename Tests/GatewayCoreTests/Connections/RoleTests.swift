import DataTree
import HTTPText
import Rules
import SyncProtocol
import Testing

@testable import GatewayCore

/// Each route of the HTTP port, requested by each role.
@Suite struct RoleTests: RealtimeConnecting {
    var node = TestGateway(TestTokens.configuration) { $0.unidentified = .anonymous }

    private static let rules =
        #"{"rules": {"open": {".read": true, ".write": true}, "$other": {".read": "auth.uid == 'ada'"}}}"#

    init() {
        node.turn([.hasRules(true)])
        #expect(request("/.settings/rules.json", "PUT", RoleTests.rules, Self.administrator) == 200)
        #expect(request("/.json", "PUT", #"{"open":1,"shut":2}"#, Self.administrator) == 200)
    }

    private static let administrator = "alpha-secret"
    /// The credentials of the columns of the tables: none, monitor, user, administrator.
    private static let roles = ["", TestSecrets.monitor, TestTokens.token("ada"), administrator]

    /// The status of the answer to a request with a credential.
    private mutating func request(
        _ target: String, _ method: String, _ body: String? = nil, _ credential: String
    ) -> Int {
        let id = node.connect()
        let isHandshake = target.hasPrefix("/.hearth") || target.hasPrefix("/.ws")
        var fields = isHandshake ? RoleTests.upgrade : []
        if !credential.isEmpty { fields.append("Authorization: Bearer \(credential)") }
        node.backupEvents = [.complete(path: "monday.tar")]
        node.send(TestGateway.request(target, method, fields, body: body), by: id)
        node.wait(100)
        let text = node.text(id)
        node.turn([.closed(id)])
        return Int(text.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0
    }

    private static let upgrade = [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: hearth.1",
    ]

    private static let routes: [(method: String, target: String, body: String?, statuses: [Int])] =
        [
            // Reports.
            ("GET", "/health", nil, [200, 200, 200, 200]),
            ("GET", "/status", nil, [401, 200, 401, 200]),
            ("HEAD", "/status", nil, [401, 200, 401, 200]),
            ("PUT", "/status", "1", [405, 405, 405, 405]),
            ("GET", "/metrics", nil, [401, 200, 401, 200]),
            ("DELETE", "/metrics", nil, [405, 405, 405, 405]),
            ("POST", "/.backup.tar?name=monday", nil, [401, 200, 401, 200]),
            ("POST", "/.backup.tar?name=..", nil, [401, 400, 401, 400]),
            ("GET", "/.backup.tar", nil, [401, 403, 401, 200]),
            ("GET", "/.backup.tar?database=none", nil, [401, 403, 401, 404]),
            ("DELETE", "/.backup.tar", nil, [401, 405, 401, 405]),
            // Data.
            ("GET", "/open.json", nil, [200, 403, 200, 200]),
            ("GET", "/shut.json", nil, [401, 403, 200, 200]),
            ("GET", "/.json?shallow=true", nil, [401, 403, 401, 200]),
            ("HEAD", "/open.json", nil, [200, 403, 200, 200]),
            ("PUT", "/open/a.json", "1", [200, 403, 200, 200]),
            ("PATCH", "/open.json", #"{"a":1}"#, [200, 403, 200, 200]),
            ("POST", "/open.json", "1", [200, 403, 200, 200]),
            ("DELETE", "/open/a.json", nil, [200, 403, 200, 200]),
            ("PUT", "/shut.json", "1", [401, 403, 401, 200]),
            // Rules and administration.
            ("GET", "/.settings/rules.json", nil, [401, 403, 401, 200]),
            ("PUT", "/.settings/rules.json", rules, [401, 403, 401, 200]),
            ("GET", "/.settings/rules/status.json", nil, [401, 403, 401, 200]),
            ("GET", "/.settings/rules/history.json", nil, [401, 403, 401, 200]),
            ("GET", "/.inspect/coverage.json", nil, [401, 403, 401, 200]),
            ("POST", "/.inspect/coverage.json", nil, [401, 403, 401, 200]),
            ("DELETE", "/.inspect/coverage.json", nil, [401, 403, 401, 200]),
            ("GET", "/.inspect/coverage", nil, [401, 403, 401, 200]),
            ("GET", "/nothing", nil, [404, 403, 404, 404]),
            ("OPTIONS", "/open.json", nil, [204, 204, 204, 204]),
            // Connections whose messages the replica answers, see below.
            ("GET", "/.hearth", nil, [101, 101, 101, 101]),
            ("GET", "/.hearth/default", nil, [101, 101, 101, 101]),
            ("GET", "/.ws?v=5&ns=t", nil, [101, 101, 101, 101]),
        ]

    @Test(arguments: RoleTests.routes)
    mutating func `each role receives its statuses`(
        method: String, target: String, body: String?, statuses: [Int]
    ) {
        for (role, status) in zip(Self.roles, statuses) {
            #expect(request(target, method, body, role) == status, "\(role.prefix(20))")
        }
    }

    @Test mutating func `the refusal of a monitor names its permissions`() {
        let answer = node.curl("/open.json", "GET", ["Authorization: Bearer monitor-secret"])
        #expect(
            answer.error
                == "A monitor may only read /health, /status and /metrics, and take backups.")
    }

    @Test(arguments: [
        "?auth=monitor-secre", "?auth=monitor-secret&access_token=alpha-secret",
        "?auth=monitor-secret&auth_variable_override=null",
        "?auth=monitor-secret&auth_variable_override=%7B%22uid%22:%22ada%22%7D",
    ])
    mutating func `a monitor's secret proves nothing else`(query: String) {
        #expect(request("/metrics" + query, "GET", nil, "") == 401)
        #expect(request("/open.json" + query, "GET", nil, "") == 401)
    }

    @Test mutating func `a monitor reads status and metrics without tokens and rules`() {
        node = TestGateway(TestSecrets.configuration) { $0.unidentified = .anonymous }
        for target in ["/status", "/metrics"] {
            #expect(request(target, "GET", nil, TestSecrets.monitor) == 200)
        }
        #expect(request("/a.json", "GET", nil, TestSecrets.monitor) == 403)
    }

    @Test mutating func `the status for a monitor names no location`() {
        let list = #"{"a":{"secret_child":1},"b":{"secret_child":2}}"#
        #expect(request("/hidden.json", "PUT", list, Self.administrator) == 200)
        let query = #"/hidden.json?orderBy="secret_child"&limitToFirst=1"#
        let listen = node.connect()
        node.send(
            TestGateway.request(
                query, "GET",
                ["Authorization: Bearer alpha-secret", "Accept: text/event-stream"]), by: listen)
        let administrator = node.curl("/status", "GET", ["Authorization: Bearer alpha-secret"])
        #expect(administrator.body.contains("secret_child"))
        let monitor = node.curl("/status", "GET", ["Authorization: Bearer monitor-secret"])
        #expect(monitor.body.contains(#""member":"n1""#), "\(monitor.body)")
        #expect(!monitor.body.contains("hidden") && !monitor.body.contains("secret_child"))
    }

    @Test mutating func `a monitor may do nothing on a Firebase WebSocket`() {
        let id = connect()
        send(#"{"t":"d","d":{"r":1,"a":"auth","b":{"cred":"monitor-secret"}}}"#, by: id)
        #expect(texts(id).last?.contains(#""s":"ok""#) == true)
        let requests = [
            ("q", #"{"p":"/open","h":""}"#), ("g", #"{"p":"/open","q":{}}"#),
            ("p", #"{"p":"/open","d":1}"#), ("m", #"{"p":"/open","d":{"a":1}}"#),
            ("o", #"{"p":"/open","d":1}"#),
        ]
        for (index, (action, body)) in requests.enumerated() {
            send(
                #"{"t":"d","d":{"r":\#(index + 2),"a":"\#(action)","b":\#(body)}}"#, by: id)
            let answers = texts(id)
            #expect(
                answers.contains { $0.contains(#""s":"permission_denied""#) },
                "\(action): \(answers)")
        }
        #expect(node.curl("/open.json").body == "1")
    }
}
