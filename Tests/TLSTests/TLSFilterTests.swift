import TLS
import Testing

@Suite struct TLSFilterTests {
    private let files: Files

    init() throws { files = try Files() }

    private func pair(trusting trust: TLSTrust? = nil) throws -> Pair {
        let trust = trust ?? .fingerprint(files.certificate.fingerprint)
        return Pair(try files.server().filter(), try TLSContext.client(trusting: trust).filter())
    }

    @Test(arguments: [1, 7, 1000, 1 << 20])
    func `plain bytes go both ways, however the wire splits them`(pieces: Int) throws {
        let pair = try pair()
        // More than a record of TLS, which has 16 KiB.
        let question = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        pair.client.send(question)
        #expect(pair.client.waitingBytes == question.count)
        pair.exchange(pieces: pieces)
        #expect(pair.atServer == question)
        #expect(pair.client.waitingBytes == 0)
        pair.server.send(Array("answer".utf8))
        pair.exchange(pieces: pieces)
        #expect(pair.atClient == Array("answer".utf8))
        #expect(pair.server.state == .open && pair.client.state == .open)
    }

    @Test func `both ends speak TLS 1_3 and agree on HTTP`() throws {
        let pair = try pair()
        #expect(pair.server.state == .handshaking)
        pair.exchange()
        #expect(pair.server.version == "TLSv1.3")
        #expect(pair.server.applicationProtocol == "http/1.1")
        #expect(pair.client.applicationProtocol == "http/1.1")
        #expect(pair.client.peerFingerprint == files.certificate.fingerprint)
        #expect(pair.server.peerFingerprint == nil)
    }

    @Test func `the wire does not show what is said`() throws {
        let pair = try pair()
        pair.exchange()
        let secret = Array("a secret of some length".utf8)
        pair.client.send(secret)
        let wire = pair.client.takeOutgoing()
        #expect(wire.count > secret.count)
        #expect(!String(decoding: wire, as: UTF8.self).contains("secret"))
    }

    @Test func `a client refuses a server with another certificate, and sends it nothing`() throws {
        let other = Certificate(hosts: ["db.test"])
        let pair = try pair(trusting: .fingerprint(other.fingerprint))
        pair.client.send(Array("secret".utf8))
        pair.exchange()
        guard case .failed(let error) = pair.client.state else {
            Issue.record("the client is \(pair.client.state)")
            return
        }
        #expect(error.problem.contains("not the one that the address names"))
        #expect(pair.atServer == [])
        #expect(pair.client.waitingBytes == 0)
        #expect(pair.client.receive([1, 2, 3]) == [])
    }

    @Test func `a client that trusts authorities refuses a certificate that signs itself`() throws {
        let pair = try pair(trusting: .authorities(host: "db.test"))
        pair.client.send(Array("secret".utf8))
        pair.exchange()
        guard case .failed(let error) = pair.client.state else {
            Issue.record("the client is \(pair.client.state)")
            return
        }
        #expect(error.problem.contains("self-signed"))
        #expect(pair.atServer == [])
        guard case .failed = pair.server.state else {
            Issue.record("the server is \(pair.server.state)")
            return
        }
    }

    @Test func `a client that trusts an authority compares the host`() throws {
        let file = files.path("certificate.pem")
        for host in ["db.test", "10.1.2.3", "::1"] {
            let right = try pair(trusting: .authorities(host: host, file: file))
            right.exchange()
            #expect(right.client.state == .open)
        }
        for host in ["other.test", "test", "127.0.0.1"] {
            let wrong = try pair(trusting: .authorities(host: host, file: file))
            wrong.client.send(Array("secret".utf8))
            wrong.exchange()
            guard case .failed(let error) = wrong.client.state else {
                Issue.record("the client of \(host) is \(wrong.client.state)")
                continue
            }
            #expect(error.problem.contains("mismatch"))
            #expect(wrong.atServer == [])
        }
    }

    @Test func `the end of what one says is heard, after all that it said`() throws {
        let pair = try pair()
        pair.exchange()
        pair.client.send(Array("last".utf8))
        pair.client.finish()
        pair.exchange()
        #expect(pair.atServer == Array("last".utf8))
        #expect(pair.server.state == .ended)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{4}abcd",
        "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
    ])
    func `bytes that are no handshake fail, and say so to the other end`(text: String) throws {
        let server = try files.server().filter()
        #expect(server.receive(Array(text.utf8)) == [])
        guard case .failed(let error) = server.state else {
            Issue.record("the server is \(server.state)")
            return
        }
        #expect(error.problem.hasPrefix("TLS failed: "))
    }

    @Test func `a changed byte of the wire is noticed`() throws {
        let pair = try pair()
        pair.exchange()
        pair.client.send(Array("question".utf8))
        var wire = pair.client.takeOutgoing()
        wire[wire.count - 1] ^= 1
        #expect(pair.server.receive(wire) == [])
        guard case .failed = pair.server.state else {
            Issue.record("the server is \(pair.server.state)")
            return
        }
    }

    @Test(arguments: ["db.test", "10.1.2.3"])
    func `a client names the host to the server, unless it is an address`(host: String) throws {
        let file = files.path("certificate.pem")
        let client = try TLSContext.client(trusting: .authorities(host: host, file: file)).filter()
        let hello = String(decoding: client.takeOutgoing(), as: UTF8.self)
        #expect(hello.contains(host) == (host == "db.test"))
    }

    @Test(arguments: [
        (["h2", "http/1.1"], "http/1.1"), (["http/1.0", "h2", "http/1.1", "x"], "http/1.1"),
        (["h2"], nil), (["http/1.2"], nil),
    ])
    func `a server takes HTTP 1_1 of the protocols that are offered, or none`(
        offered: [String], taken: String?
    ) throws {
        let server = try files.server().filter()
        let client = try PythonClient(offering: offered)
        #expect(try client.talk(to: server) == Array("hello".utf8))
        #expect(server.state == .open)
        #expect(server.applicationProtocol == taken)
    }

    @Test func `a client that has an authority accepts a server that sends what leads to it`()
        throws
    {
        let chain = try Chain(in: files)
        let trust = TLSTrust.authorities(host: "leaf.test", file: chain.authority)
        for (certificate, state) in [(chain.whole, true), (chain.leaf, false)] {
            let server = try TLSContext.server(certificate: certificate, key: chain.key)
            let pair = Pair(server.filter(), try TLSContext.client(trusting: trust).filter())
            pair.exchange()
            #expect((pair.client.state == .open) == state)
        }
    }
}
