import Testing

@testable import Sockets

@Suite struct `A redirect` {
    private static let pin = "#sha256=" + String(repeating: "0a", count: 32)

    /// The address that redirects, `Location`, and where the client goes; nil if it must not.
    @Test(
        arguments: [
            ("http://a:1", "//b:2/x?y=1", "http://b:2", "/x?y=1"),
            ("http://a:1", "http://b/x", "http://b:80", "/x"),
            ("http://a:1", "https://b", "https://b:443", "/"),
            ("http://a:1", "//[::1]:3?y=/", "http://[::1]:3", "/?y=/"),
            ("http://a:1", "/x", "http://a:1", "/x"),
            ("https://a:1", "//b/x", "https://b:443", "/x"),
            ("https://a:1#ca=/f.pem", "//b:2/x", "https://b:2#ca=/f.pem", "/x"),
            ("https://a:1" + pin, "//a:1/x", "https://a:1" + pin, "/x"),
            // An address that the client was given is used with its certificate.
            ("https://a:1" + pin, "//known:9/x", "https://known:9#ca=/k.pem", "/x"),
        ])
    func `is followed with the trust of the client`(
        from: String, location: String, to: String, target: String
    ) throws {
        let from = try #require(HTTPAddress(from))
        let known = try #require(HTTPAddress("https://known:9#ca=/k.pem"))
        let redirect = HTTPRedirect(location, from: from, knowing: [known])
        #expect(redirect?.address.description == to && redirect?.target == target)
    }

    @Test(
        arguments: [
            ("https://a:1", "http://b:2/x"), ("https://a:1", "http://a:1/x"),
            ("https://a:1" + pin, "//b:2/x"), ("http://a:1", "//u:p@b:2/x"),
            ("http://a:1", "//b:2/x#sha256=0a"), ("http://a:1", "ftp://b:2/x"),
            ("http://a:1", "//b:0/x"), ("http://a:1", "x"), ("http://a:1", "///x"),
        ])
    func `is not followed to a server that the client cannot verify`(
        from: String, location: String
    ) throws {
        let from = try #require(HTTPAddress(from))
        #expect(HTTPRedirect(location, from: from) == nil)
    }
}
