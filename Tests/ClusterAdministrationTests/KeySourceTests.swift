import CommandLineKit
import Sockets
import TLS
import Testing

@testable import ClusterAdministration

@Suite struct KeySourceTests {
    private static let sources:
        [(text: String, server: String, authority: String, target: String)] =
            [
                ("https://a.test/x/jwks.json", "https://a.test:443", "a.test", "/x/jwks.json"),
                ("https://a.test:8443/x?y=z", "https://a.test:8443", "a.test:8443", "/x?y=z"),
                ("https://a.test", "https://a.test:443", "a.test", "/"),
                ("https://a.test?y", "https://a.test:443", "a.test", "/?y"),
                ("https://[::1]/x", "https://[::1]:443", "[::1]", "/x"),
                ("https://[::1]:9/x", "https://[::1]:9", "[::1]:9", "/x"),
                ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080", "127.0.0.1:8080", "/x"),
                ("http://localhost/x", "http://localhost:80", "localhost", "/x"),
            ]

    @Test(arguments: KeySourceTests.sources)
    func `an address has a server, a host and a target`(
        text: String, server: String, authority: String, target: String
    ) throws {
        let source = try KeySource(text, authorities: "ca.pem")
        #expect(source.server.location == server)
        #expect(source.authority == authority && source.target == target)
        let isSecure = text.hasPrefix("https")
        #expect(
            source.server.trust
                == (isSecure ? .authorities(host: source.server.host, file: "ca.pem") : nil))
    }

    @Test(arguments: [
        "", "a.test/x", "ftp://a.test/x", "https:///x", "https://u:p@a.test/x",
        "https://a.test/x#y",
        "https://a.test/x y", "https://a.test/x\r\nHost: b", "https://a.test:0/", "https://ä.test/",
    ])
    func `anything else is refused`(text: String) {
        let error = #expect(throws: CommandError.self) { try KeySource(text) }
        #expect(error?.status == .usage)
    }

    @Test func `plain http is only for this machine`() {
        let error = #expect(throws: CommandError.self) { try KeySource("http://10.0.0.1/x") }
        #expect(error?.fix == "use an address that begins with https://")
    }
}
