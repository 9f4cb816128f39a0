import HTTPText
import Testing

@Suite struct OriginTests {
    @Test(arguments: [
        ("127.0.0.1:9000", true), ("10.0.2.2:9000", true), ("[::1]", true), ("[fe80::1]:9", true),
        ("localhost", true), ("LOCALHOST:80", true), ("a.b.localhost", true), ("localhost.", true),
        ("db.example.com", true), ("DB.example.com:9000", true), ("db.example.com.", true),
        ("evil.test", false), ("example.com", false), ("x.db.example.com", false),
        ("localhost.evil.test", false), ("evillocalhost", false), ("127.0.0.1.evil.test", false),
        ("127.0.0", false), ("256.0.0.1", false), ("1.2.3.4.5", false), ("1.2.3.x", false),
        ("0x7f.1", false), ("-0.1.2.3", false), ("1.2.3.-0", false), ("2130706433", false),
        ("1.2..3", false),
    ])
    func `a host is an address, this machine or a name that is listed`(
        host: String, isPermitted: Bool
    ) {
        let rule = HostRule(names: ["db.Example.com"])
        #expect(rule.permits(Authority(host)) == isPermitted)
    }

    @Test func `a name may be listed with the dot that ends it`() {
        let rule = HostRule(names: ["db.example.com."])
        #expect(rule.permits(Authority("db.example.com")))
        #expect(rule.permits(Authority("db.example.com.")))
    }

    @Test(arguments: [
        (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false),
        ("[::ffff:1.2.3.4]:80", true), ("[::ffff:1.2.3.4%1]", false),
    ])
    func `a host is a name of bounded length, or an address in brackets`(
        text: String, isAuthority: Bool
    ) {
        #expect((Authority(text) != nil) == isAuthority)
    }

    @Test func `a request without a host comes from no page`() {
        #expect(HostRule(names: []).permits(nil))
    }

    private static let rule = OriginRule(
        origins: ["https://App.example.com", "http://plain.test:80", "http://odd.test:81"])

    @Test(arguments: [
        ("http://localhost:3000", true), ("https://x.localhost", true), ("http://127.0.0.1", true),
        ("http://127.9.9.9:1", true), ("http://localhost.:80", true), ("http://[::1]:5173", true),
        ("https://app.example.com", true), ("https://app.example.com:443", true),
        ("http://plain.test", true), ("http://odd.test:81", true),
        ("http://db.example.com:9000", true), ("https://db.example.com:9000", true),
        ("http://app.example.com", false), ("https://app.example.com:444", false),
        ("http://odd.test", false), ("http://db.example.com", false),
        ("http://db.example.com:9001", false), ("http://evil.test", false),
        ("http://localhost.evil.test", false), ("http://10.0.0.1", false), ("null", false),
        ("ftp://localhost", false), ("localhost", false), ("http:localhost", false), ("", false),
        ("http://localhost/", false), ("http://u@localhost", false), ("http://", false),
        ("http://localhost, http://evil.test", false),
    ])
    func `a page of this machine, of this server or of a listed origin is allowed`(
        origin: String, isAllowed: Bool
    ) throws {
        let head = try head(
            "GET / HTTP/1.1\r\nHost: db.example.com:9000\r\nOrigin: \(origin)\r\n\r\n")
        #expect(Self.rule.decide(head) == (isAllowed ? .allowed(origin) : .refused))
    }

    @Test func `the own origin has the standard port of its scheme`() throws {
        let head = try head(
            "GET / HTTP/1.1\r\nHost: db.test\r\nOrigin: https://db.test:443\r\n\r\n")
        #expect(Self.rule.decide(head) == .allowed("https://db.test:443"))
    }

    @Test func `a request without an origin is served, and one with two is not`() throws {
        #expect(Self.rule.decide(try head(request("GET / HTTP/1.1"))) == .noOrigin)
        let fields = "Origin: http://localhost"
        #expect(Self.rule.decide(try head(request("GET / HTTP/1.1", fields, fields))) == .refused)
    }

    @Test func `where tokens are required, any origin will do`() throws {
        for origin in ["http://evil.test", "null"] {
            let head = try head(request("GET / HTTP/1.1", "Origin: \(origin)"))
            #expect(OriginRule.any.decide(head) == .allowed(origin))
        }
        let broken = try head(request("GET / HTTP/1.1", "Origin: evil"))
        #expect(OriginRule.any.decide(broken) == .refused)
    }

    @Test func `the origin null has to be listed`() throws {
        let head = try head(request("GET / HTTP/1.1", "Origin: null"))
        #expect(OriginRule(origins: ["null"]).decide(head) == .allowed("null"))
        #expect(OriginRule(origins: ["Null"]).decide(head) == .allowed("null"))
        #expect(OriginRule(origins: []).decide(head) == .refused)
    }

    @Test(
        arguments: [
            ("localhost:9000", [], true), ("127.0.0.1:9000", [], true),
            ("10.0.0.1:9000", [], false),
            ("db.example.com", [], false),
            ("localhost:9000", ["Sec-Fetch-Site: cross-site"], false),
            (
                "localhost:9000", ["Sec-Fetch-Site: cross-site", "Referer: http://localhost/"],
                true
            ),
            (
                "localhost:9000", ["Sec-Fetch-Site: cross-site", "Referer: http://evil.test/"],
                false
            ),
            ("10.0.0.1:9000", ["Sec-Fetch-Site: same-origin"], true),
            ("10.0.0.1:9000", ["Sec-Fetch-Site: same-site"], true),
            ("10.0.0.1:9000", ["Sec-Fetch-Site: none"], true),
            ("10.0.0.1:9000", ["Sec-Fetch-Site: odd"], false),
            ("10.0.0.1:9000", ["Referer: http://10.0.0.1:9000/a/b?c"], true),
            ("10.0.0.1:9000", ["Referer: http://10.0.0.1:9001/"], false),
            ("10.0.0.1:9000", ["Referer: https://app.example.com/x"], true),
            ("10.0.0.1:9000", ["Referer: https://app.example.com"], true),
            ("10.0.0.1:9000", ["Referer: http://evil.test/http://10.0.0.1:9000"], false),
            ("localhost:9000", ["Referer: http://evil.test/"], false),
            ("localhost:9000", ["Referer: about:blank"], false),
        ] as [(String, [String], Bool)])
    func `a script element loads answers for pages that are allowed`(
        host: String, fields: [String], isPermitted: Bool
    ) throws {
        let lines = ["GET / HTTP/1.1", "Host: \(host)"] + fields + ["", ""]
        let head = try head(lines.joined(separator: "\r\n"))
        #expect(Self.rule.permitsScript(head) == isPermitted)
        #expect(OriginRule.any.permitsScript(head))
    }
}
