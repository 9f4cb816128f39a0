import ClusterSimulator
import CommandLineKit
import Sockets
import Testing

@testable import SimulatorCommand

@Suite struct `A fault proxy` {
    @Test func `works on a thread of its own, and ends with its connections`() throws {
        let fixture = try ProxyFixture()
        let (address, link) = (try FreePort.address(), ProxyFixture.link)
        // Through two proxies: the one on this thread, and another one before it.
        let route = FaultProxy.Route(link: link, address: address, target: fixture.address)
        var proxy: FaultProxy? = try FaultProxy([route], seed: 1)
        var caller: ProxyFixture.End?
        let dial = try Dial(to: address, on: fixture.loop) { outcome in
            caller = (try? outcome.get()).map(ProxyFixture.End.init)
            caller?.send([1])
        }
        fixture.run { fixture.accepted.first?.received == [1] }
        #expect(fixture.accepted.first?.received == [1])
        proxy?.apply(.disconnect(0, 1))
        fixture.run { caller?.hasEnded == true }
        #expect(caller?.hasEnded == true)
        proxy?.close()
        proxy = nil
        let taken = try Listener(at: address, on: fixture.loop) { _ in }
        withExtendedLifetime((dial, taken)) {}
    }

    @Test func `names a port that another program has`() throws {
        let fixture = try ProxyFixture()
        let route = FaultProxy.Route(
            link: ProxyFixture.link, address: fixture.address, target: fixture.address)
        let error = #expect(throws: CommandError.self) { _ = try FaultProxy([route], seed: 1) }
        #expect(error?.problem.contains("address already in use") == true)
    }
}
