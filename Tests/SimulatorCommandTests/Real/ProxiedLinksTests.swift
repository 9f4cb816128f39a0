import ClusterSimulator
import EventLoop
import Sockets
import Testing

@testable import SimulatorCommand

/// By real sockets: what a proxy does with connections whose link fails.
@Suite struct `A link of a proxy` {
    private let link = ProxyFixture.link
    /// Long enough for bytes that nothing holds to arrive a hundred times.
    private let moment = Duration.milliseconds(150)

    @Test func `carries bytes both ways, and the end of a connection`() throws {
        let fixture = try ProxyFixture()
        let (caller, target) = try fixture.connect()
        caller.send([1, 2, 3])
        target.send([4, 5])
        fixture.run { target.received.count == 3 && caller.received.count == 2 }
        #expect(target.received == [1, 2, 3] && caller.received == [4, 5])
        caller.send([6])
        caller.stream.close()
        fixture.run { target.hasEnded }
        #expect(target.received == [1, 2, 3, 6] && target.hasEnded)
    }

    @Test func `that is cut keeps its bytes until it is open, while the other direction goes on`()
        throws
    {
        let fixture = try ProxyFixture()
        let (caller, target) = try fixture.connect()
        fixture.perform(.cut([link]))
        caller.send([1, 2, 3])
        target.send([4])
        fixture.run { caller.received == [4] }
        fixture.run(moment)
        #expect(caller.received == [4] && target.received.isEmpty && !target.hasEnded)
        fixture.perform(.open([link]))
        caller.send([5])
        fixture.run { target.received.count == 4 }
        #expect(target.received == [1, 2, 3, 5])
    }

    @Test(arguments: [ProxyFixture.link, ProxyFixture.link.reversed])
    func `makes connections once both directions are open`(cut: DirectedLink) throws {
        let fixture = try ProxyFixture()
        fixture.perform(.cut([cut]))
        let caller = try fixture.call()
        caller.send([7])
        fixture.run(moment)
        #expect(fixture.accepted.isEmpty && !caller.hasEnded)
        fixture.perform(.heal)
        fixture.run { fixture.accepted.first?.received == [7] }
        #expect(fixture.accepted.first?.received == [7])
    }

    @Test func `that is half open loses what the caller sends, without a word`() throws {
        let fixture = try ProxyFixture()
        let (caller, target) = try fixture.connect()
        fixture.perform(.halfOpen(link))
        fixture.run { target.hasEnded }
        caller.send([1])
        fixture.run(moment)
        #expect(target.received.isEmpty && !caller.hasEnded)
        fixture.perform(.heal)
        fixture.run(moment)
        #expect(!caller.hasEnded && fixture.accepted.count == 1)
        // The next connection works.
        let next = try fixture.connect()
        next.caller.send([2])
        fixture.run { next.target.received == [2] }
        #expect(next.target.received == [2])
    }

    @Test func `that breaks ends connections made either way, and takes new ones`() throws {
        let fixture = try ProxyFixture()
        let (caller, target) = try fixture.connect()
        fixture.perform(.disconnect(1, 0))
        fixture.run { caller.hasEnded && target.hasEnded }
        #expect(caller.hasEnded && target.hasEnded)
        _ = try fixture.connect()
        #expect(fixture.accepted.count == 2)
    }

    @Test func `of a target that does not listen ends what it has accepted`() throws {
        let fixture = try ProxyFixture()
        let (address, nobody) = try (FreePort.address(), FreePort.address())
        let route = FaultProxy.Route(link: link, address: address, target: nobody)
        let links = try ProxiedLinks([route], pace: .immediate, seed: 1, on: fixture.loop)
        var end: ProxyFixture.End?
        let dial = try Dial(to: address, on: fixture.loop) { outcome in
            end = (try? outcome.get()).map(ProxyFixture.End.init)
        }
        fixture.run { end?.hasEnded == true }
        #expect(end?.hasEnded == true)
        withExtendedLifetime((dial, links)) {}
    }

    @Test func `delays bytes in the direction that is slow, in their order`() throws {
        let fixture = try ProxyFixture()
        let (caller, target) = try fixture.connect()
        fixture.perform(.slow(link, LinkPace(delay: 100_000...300_000)))
        let start = ContinuousClock.now
        for number in 0..<20 {
            caller.send([UInt8(number)])
            fixture.run(.milliseconds(5))
        }
        let delay = Duration.milliseconds(100)
        fixture.run { !target.received.isEmpty }
        #expect(start.duration(to: .now) >= delay)
        fixture.run { target.received.count == 20 }
        #expect(target.received == Array(0..<20))
        fixture.perform(.heal)
        caller.send([20])
        fixture.run { target.received.count == 21 }
        #expect(target.received.count == 21)
    }

    @Test func `of a bandwidth takes so long for many bytes`() throws {
        let fixture = try ProxyFixture(pace: LinkPace(delay: 0...0, bandwidth: 1_000_000))
        let (caller, target) = try fixture.connect()
        let start = ContinuousClock.now
        caller.send([UInt8](repeating: 1, count: 200_000))
        fixture.run { target.received.count == 200_000 }
        #expect(target.received.count == 200_000)
        #expect(start.duration(to: .now) >= .milliseconds(200))
    }

    @Test func `takes no more from a caller than waits for a target that does not read`() throws {
        let fixture = try ProxyFixture()
        let (caller, target) = try fixture.connect()
        target.stream.isPaused = true
        let sent = (0..<64).flatMap { [UInt8](repeating: UInt8($0), count: 1 << 20) }
        let total = sent.count
        caller.send(sent)
        var (waiting, rest) = (-1, total)
        while waiting != rest {
            waiting = rest
            fixture.run(.milliseconds(300))
            rest = caller.stream.waitingBytes
        }
        // The system has some megabytes for each of the two connections.
        #expect(rest > total / 4)
        target.stream.isPaused = false
        fixture.run { target.received.count == total }
        let isRight = target.received == sent
        #expect(isRight)
    }

    @Test func `has a bound of connections, of which the oldest goes first`() throws {
        let fixture = try ProxyFixture()
        fixture.perform(.cut([link]))
        let limit = ProxiedLinks.connectionLimit
        let callers = try (0..<limit + 2).map { _ in try fixture.call() }
        fixture.run { callers[0].hasEnded && callers[1].hasEnded }
        #expect(callers.map(\.hasEnded) == callers.indices.map { $0 < 2 })
        fixture.perform(.heal)
        fixture.run { fixture.accepted.count == limit }
        #expect(fixture.accepted.count == limit)
    }
}

@Suite struct `Bytes that are delayed` {
    @Test func `arrive in their order, whatever each is delayed`() {
        var line = DelayLine()
        line.append([1], arriving: 30)
        line.append([2, 3], arriving: 10)
        line.append([4], arriving: 40)
        #expect(line.nextArrival == 30 && line.byteCount == 4)
        #expect(line.removeArrived(by: 29).isEmpty)
        #expect(line.removeArrived(by: 30) == [[1], [2, 3]])
        #expect(line.byteCount == 1 && !line.isEmpty)
        #expect(line.removeArrived(by: 50) == [[4]] && line.isEmpty)
        #expect(line.nextArrival == nil)
    }
}
