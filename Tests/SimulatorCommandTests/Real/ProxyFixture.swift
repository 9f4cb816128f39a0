import ClusterSimulator
import EventLoop
import Sockets
import Synchronization
import Testing

@testable import SimulatorCommand

/// A target, and links through which callers reach it, on the loop of the test: end 0 calls end 1.
final class ProxyFixture {
    /// One end of a connection, and what has come there.
    final class End {
        let stream: Stream
        private(set) var received: [UInt8] = []
        private(set) var hasEnded = false

        init(_ stream: Stream) {
            self.stream = stream
            stream.open { [unowned self] event in
                switch event {
                case .received(let bytes): received += bytes
                case .drained: break
                case .ended: hasEnded = true
                }
            }
        }

        func send(_ bytes: [UInt8]) {
            stream.append(bytes)
            stream.flush()
        }
    }

    static let link = DirectedLink(from: 0, to: 1)

    let loop: Loop
    /// The address of the proxy.
    let address: HTTPAddress
    private(set) var links: ProxiedLinks?
    /// The target's ends of all connections that it has accepted.
    private(set) var accepted: [End] = []
    private var target: Listener?

    init(pace: LinkPace = .immediate) throws {
        loop = try Loop()
        let (address, target) = try (FreePort.address(), FreePort.address())
        self.address = address
        self.target = try Listener(at: target, on: loop) { [unowned self] stream in
            accepted.append(End(stream))
        }
        let route = FaultProxy.Route(link: Self.link, address: address, target: target)
        links = try ProxiedLinks([route], pace: pace, seed: 1, on: loop)
    }

    func perform(_ change: NetworkChange) { links?.apply(change) }

    /// Connects to the proxy, which accepts whatever the state of its link.
    func call() throws -> End {
        var outcome: Result<Stream, SocketError>?
        let dial = try Dial(to: address, on: loop) { outcome = $0 }
        run { outcome != nil }
        return try withExtendedLifetime(dial) { End(try #require(outcome).get()) }
    }

    /// A call that the target has accepted, by both its ends.
    func connect() throws -> (caller: End, target: End) {
        let count = accepted.count
        let caller = try call()
        run { self.accepted.count > count }
        return (caller, try #require(accepted.last))
    }

    /// Runs all ends until something has happened; records what has arrived if it does not happen.
    func run(
        sourceLocation: SourceLocation = #_sourceLocation,
        until hasHappened: @escaping () -> Bool
    ) {
        let limit = Duration.seconds(20)
        if run(limit, until: hasHappened) { return }
        let state = accepted.map { "\($0.received.count) bytes\($0.hasEnded ? ", ended" : "")" }
        Issue.record(
            "not within \(limit): the target has accepted \(accepted.count) connections \(state)",
            sourceLocation: sourceLocation)
    }

    /// Runs all ends for so long.
    func run(_ duration: Duration) { _ = run(duration, until: { false }) }

    private func run(_ limit: Duration, until hasHappened: @escaping () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + limit
        let timer = try? loop.timer(every: .milliseconds(2)) { [loop] in
            if hasHappened() || .now >= deadline { loop.stop() }
        }
        // A late timer may have stopped the loop twice, and the second stop ends the next run.
        repeat { loop.run() } while !hasHappened() && .now < deadline
        return withExtendedLifetime(timer) { hasHappened() }
    }
}

/// Free ports of this machine; tests that run at the same time get different ones.
enum FreePort {
    private static let given = Atomic(Int.random(in: 0..<100))

    static func address() throws -> HTTPAddress {
        let loop = try Loop()
        for _ in 0..<100 {
            let number = given.wrappingAdd(1, ordering: .relaxed).newValue
            let address = try #require(HTTPAddress("http://127.0.0.1:\(21_400 + number % 100)"))
            if (try? Listener(at: address, on: loop) { _ in }) != nil { return address }
        }
        throw NoPort()
    }

    struct NoPort: Error {}
}
