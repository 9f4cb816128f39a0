import EventLoop
import Glibc
import Testing

@testable import Sockets

@Suite(.timeLimit(.minutes(1))) struct `A look-up of a host` {
    @Test func `returns addresses in numbers without blocking the loop`() throws {
        let loop = try Loop()
        var hosts: [String] = []
        var isInCall = true
        let lookup = HostLookup(of: "localhost", port: 7, on: loop) { answer in
            #expect(!isInCall)
            if case .found(let addresses) = answer { hosts = addresses.map(\.host) }
            loop.stop()
        }
        isInCall = false
        loop.run()
        withExtendedLifetime(lookup) {}
        #expect(!hosts.isEmpty && hosts.allSatisfy { ["127.0.0.1", "[::1]"].contains($0) })
    }

    @Test func `reports a name that no host has`() throws {
        let loop = try Loop()
        var isFound = true
        let lookup = HostLookup(of: "nowhere.invalid", port: 7, on: loop) { answer in
            if case .found = answer {} else { isFound = false }
            loop.stop()
        }
        loop.run()
        withExtendedLifetime(lookup) {}
        #expect(!isFound)
    }

    @Test func `calls nothing back once it is released`() throws {
        let loop = try Loop()
        var lookup: HostLookup? = HostLookup(of: "localhost", port: 8, on: loop) { _ in
            Issue.record("it was released")
        }
        #expect(lookup != nil)
        lookup = nil
        let end = try loop.timer(after: .milliseconds(300)) { loop.stop() }
        loop.run()
        withExtendedLifetime(end) {}
    }

    @Test func `lets a client connect to a name`() throws {
        let loop = try Loop()
        let listener = try FreePort.listener(on: loop) { _ in }
        let address = try #require(HTTPAddress("http://localhost:\(listener.address.port)"))
        var isConnected = false
        let dial = try Dial(to: address, on: loop) { outcome in
            if case .success = outcome { isConnected = true }
            loop.stop()
        }
        loop.run()
        withExtendedLifetime((dial, listener)) {}
        #expect(isConnected)
    }

    @Test func `lets a client report a name that no host has`() throws {
        let loop = try Loop()
        let address = try #require(HTTPAddress("http://nowhere.invalid:80"))
        var failure: SocketError?
        let dial = try Dial(to: address, on: loop) { outcome in
            if case .failure(let error) = outcome { failure = error }
            loop.stop()
        }
        loop.run()
        withExtendedLifetime(dial) {}
        #expect(failure?.isLookupFailure == true)
    }

    @Test func `lets clients of both families connect to all addresses`() throws {
        let loop = try Loop()
        let listener = try FreePort.listener(at: "[::]", on: loop) { _ in }
        let address = try #require(HTTPAddress("http://127.0.0.1:\(listener.address.port)"))
        var isConnected = false
        let dial = try Dial(to: address, on: loop) { outcome in
            if case .success = outcome { isConnected = true }
            loop.stop()
        }
        loop.run()
        withExtendedLifetime((dial, listener)) {}
        #expect(isConnected)
    }

    @Test func `lets a client leave an address that does not answer for another`() throws {
        let loop = try Loop()
        let listener = try FreePort.listener(on: loop) { _ in }
        let silent = try SilentPort()
        let places = try silent.address.resolved() + listener.address.resolved()
        var isConnected = false
        let dial = try Dial(to: listener.address, at: places, on: loop) { outcome in
            if case .success = outcome { isConnected = true }
            loop.stop()
        }
        loop.run()
        withExtendedLifetime((dial, listener, silent)) {}
        #expect(isConnected)
    }
}

/// A port whose system drops requests to connect, because connections that nobody accepts fill its queue.
private final class SilentPort {
    let address: HTTPAddress
    private let listener: Int32
    private var queued: [PolledSocket] = []

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let (number, length) = (listener, size)
        let failure = withUnsafeMutablePointer(to: &place) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(number, place, length) == 0 && listen(number, 0) == 0
                    ? getsockname(number, place, &size) : -1
            }
        }
        try #require(failure == 0)
        address = try #require(HTTPAddress("http://127.0.0.1:\(place.sin_port.bigEndian)"))
        for _ in 0..<4 { queued.append(try PolledSocket(to: address)) }
    }

    deinit { close(listener) }
}
