import EventLoop
import Sockets
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A listener` {
    @Test(arguments: ["127.0.0.1", "[::1]"])
    func `takes many connections at once`(host: String) throws {
        let loop = try Loop()
        var accepted: [Stream] = []
        var connected = 0
        func count() { if accepted.count == 200, connected == 200 { loop.stop() } }
        let listener = try FreePort.listener(at: host, on: loop) {
            accepted.append($0)
            count()
        }
        let dials = try (0..<200).map { _ in
            try Dial(to: listener.address, on: loop) { outcome in
                if case .success = outcome { connected += 1 }
                count()
            }
        }
        loop.run()
        withExtendedLifetime((listener, dials)) {}
        #expect(connected == 200)
    }

    @Test func `names the address that another process has`() throws {
        let loop = try Loop()
        let first = try FreePort.listener(on: loop) { _ in }
        let error = #expect(throws: SocketError.self) {
            _ = try Listener(at: first.address, on: loop) { _ in }
        }
        #expect(error?.problem == "cannot bind \(first.address): address already in use")
        #expect(error?.fix.contains("port \(first.address.port)") == true)
    }

    @Test func `an address where nothing answers fails, with its name`() throws {
        let loop = try Loop()
        let listener = try FreePort.listener(on: loop) { _ in }
        let address = listener.address
        listener.listener.close()
        var failure: SocketError?
        // The listener's socket goes with its last reference.
        let free = try FreePort.listener(on: loop) { _ in }.address
        do {
            let dial = try Dial(to: free, on: loop) { outcome in
                if case .failure(let error) = outcome { failure = error }
                loop.stop()
            }
            loop.run()
            withExtendedLifetime(dial) {}
        } catch {
            failure = error
        }
        #expect(failure?.problem == "cannot connect to \(free): nothing answers there")
        #expect(address != free)
    }

    @Test(arguments: [
        "http://127.0.0.1", "http://127.0.0.1:0", "http://127.0.0.1:65536", "http://:80",
        "tcp://127.0.0.1:80", "http://127.0.0.1:80/", "http://a b:80", "127.0.0.1:80",
        "http://127.0.0.1:80#sha256=" + pin, "https://127.0.0.1", "https://127.0.0.1:80#",
        "https://127.0.0.1:80#sha1=" + pin, "https://127.0.0.1:80#sha256=" + pin.dropLast(),
        "https://127.0.0.1:80#sha256=" + pin + "00",
        "https://127.0.0.1:80#sha256=g" + pin.dropFirst(),
    ])
    func `a text that is no address is known`(text: String) {
        #expect(HTTPAddress(text) == nil)
    }

    @Test func `an address says how its server is known`() throws {
        #expect(HTTPAddress("http://localhost:80")?.trust == nil)
        #expect(HTTPAddress("https://db.test:80")?.trust == .authorities(host: "db.test"))
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: 0x0F + $0 &* 0x11) }
        let address = try #require(HTTPAddress("https://db.test:80#sha256=" + pin))
        #expect(address.trust == .fingerprint(bytes))
        #expect(address.location == "https://db.test:80")
        // As `openssl x509 -fingerprint` shows it.
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        #expect(
            HTTPAddress("https://db.test:80#sha256=\(digits.joined(separator: ":"))") == address)
    }

    @Test(arguments: [
        "http://127.0.0.1:80", "http://[::1]:7001", "http://localhost:7001", "https://a.test:443",
        "https://[::1]:7001#sha256=" + pin,
    ])
    func `an address says itself`(text: String) throws {
        #expect(HTTPAddress(text)?.description == text)
    }

    @Test func `a host that nobody knows is named`() throws {
        let address = try #require(HTTPAddress("http://nowhere.invalid:80"))
        let error = #expect(throws: SocketError.self) { _ = try address.resolved() }
        #expect(
            error?.problem.hasPrefix("cannot find the host of http://nowhere.invalid:80") == true)
        #expect(error?.isLookupFailure == true)
    }

    @Test func `an address names the file of its authorities`() throws {
        let text = "https://db.test:80#ca=/etc/a b.pem"
        let address = try #require(HTTPAddress(text))
        #expect(address.trust == .authorities(host: "db.test", file: "/etc/a b.pem"))
        #expect(address.description == text && address.location == "https://db.test:80")
        let plain = try #require(HTTPAddress("https://db.test:80"))
        #expect(plain.trusting(authoritiesIn: "/etc/a b.pem") == address)
        #expect(plain.trusting(authoritiesIn: nil) == plain)
        #expect(address.trusting(authoritiesIn: "other.pem") == address)
        let pinned = try #require(HTTPAddress("https://db.test:80#sha256=" + pin))
        #expect(pinned.trusting(authoritiesIn: "other.pem") == pinned)
        #expect(HTTPAddress("http://db.test:80#ca=a.pem") == nil)
        #expect(HTTPAddress("https://db.test:80#ca=") == nil)
        let missing = try #require(HTTPAddress("https://db.test:80#ca=/nowhere.pem"))
        #expect(throws: SocketError.self) { try missing.checkTrust() }
        try plain.checkTrust()
    }
}

/// A fingerprint in hexadecimal digits.
private let pin = (0..<32).map { number in
    let byte = UInt8(truncatingIfNeeded: 0x0F + number &* 0x11)
    return (byte < 16 ? "0" : "") + String(byte, radix: 16)
}.joined()
