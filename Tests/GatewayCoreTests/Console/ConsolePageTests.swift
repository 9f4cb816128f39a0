import Testing

@testable import GatewayCore

/// The files of the console, and the addresses at which browsers get its page.
@Suite struct ConsolePageTests {
    private var node = TestGateway(configuration())
    private static let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"

    private static func configuration(
        _ base: GatewayConfiguration = GatewayConfiguration()
    ) -> GatewayConfiguration {
        var configuration = base
        var console = Console { path in
            ["index.html", "main.js"].contains(path)
                ? ConsoleFile(Array("file \(path)".utf8), at: path) : nil
        }
        console.nodes = [ConsoleNode(name: "n2", address: "https://db.example.com:7002", page: "")]
        configuration.console = console
        return configuration
    }

    @Test(arguments: ["/", "/rooms/lobby", "/rooms/%C3%A9", "/.cluster", "/.connect", "/a.jsonx"])
    mutating func `a browser gets the page at every path`(path: String) {
        let answer = node.curl(path, "GET", [Self.browser])
        #expect(answer.status == 200)
        #expect(answer.body == "file index.html")
        #expect(answer["content-type"] == "text/html; charset=utf-8")
    }

    @Test(arguments: ["/rooms.json", "/.json", "/health", "/metrics", "/.inspect/coverage"])
    mutating func `a browser gets data and reports at their addresses`(path: String) {
        let answer = node.curl(path, "GET", [Self.browser])
        #expect(answer.status != 404)
        #expect(!answer.body.contains("file index.html"))
    }

    @Test(arguments: [[], ["Accept: */*"], ["Accept: application/json"]])
    mutating func `other programs get the old text`(fields: [String]) {
        let answer = node.curl("/rooms", "GET", fields)
        #expect(answer.status == 404)
        #expect(answer.body == "append .json to your request URI to use the REST API.\n")
    }

    @Test mutating func `a page gets its files, whatever it accepts`() {
        let answer = node.curl("/.console/main.js", "GET", ["Accept: */*"])
        #expect(answer.body == "file main.js")
        #expect(answer["content-type"] == "text/javascript; charset=utf-8")
        #expect(node.curl("/.console/other.js").status == 404)
        #expect(node.curl("/.console/main.js", "POST", body: "1").status != 200)
    }

    @Test mutating func `a file that the browser has is not sent again`() {
        let tag = node.curl("/.console/main.js")["etag"] ?? ""
        let answer = node.curl("/.console/main.js", "GET", ["If-None-Match: \(tag)"])
        #expect(answer.status == 304)
        #expect(answer.body == "")
    }

    @Test mutating func `the policy permits the page's own scripts and the nodes of the cluster`() {
        let policy = node.curl("/", "GET", [Self.browser])["content-security-policy"]
        #expect(
            policy == "default-src 'none'; script-src 'self'; style-src 'self'; "
                + "img-src 'self' data:; connect-src 'self' https://db.example.com:7002 "
                + "wss://db.example.com:7002; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'; require-trusted-types-for 'script'")
    }

    @Test mutating func `the page asks for a token itself`() {
        node = TestGateway(Self.configuration(TestSecrets.configuration))
        let answer = node.curl("/rooms", "GET", [Self.browser])
        #expect(answer.status == 200)
        #expect(answer["referrer-policy"] == "no-referrer")
        #expect(node.curl("/.console/main.js").status == 200)
    }

    @Test mutating func `a page of another site gets no file`() {
        let fields = ["Origin: https://evil.example"]
        #expect(node.curl("/.console/main.js", "GET", fields).status == 403)
    }

    @Test mutating func `a node without a console serves none`() {
        node = TestGateway()
        #expect(node.curl("/", "GET", [Self.browser]).status == 404)
        #expect(node.curl("/.console/main.js").status == 404)
    }
}
