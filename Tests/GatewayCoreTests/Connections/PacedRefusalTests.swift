import SyncProtocol
import Testing

@testable import GatewayCore

/// Refusals by limits wait a moment, and keep the connection.
@Suite struct PacedRefusalTests {
    private func node() -> TestGateway {
        var node = TestGateway()
        var limits = DatabaseLimits()
        limits[.writesPerSecond] = 1
        node.setLimits(limits)
        return node
    }

    private static let put = TestGateway.request("/a.json", "PUT", body: "1")

    @Test func `a refused write is answered 100 ms later, and requests behind it wait`() {
        var node = node()
        let client = node.connect()
        node.send(Self.put, by: client)
        #expect(node.answers(client).map(\.status) == [200])
        node.send(Self.put + TestGateway.request("/a.json"), by: client)
        node.turn([], after: 90)
        #expect(node.answers(client).isEmpty)
        node.send(TestGateway.request("/b.json"), by: client)
        node.turn([], after: 10)
        let answers = node.answers(client)
        #expect(answers.map(\.status) == [429, 200, 200])
        #expect(!node.closed.contains(client))
        #expect(node.curl("/metrics").body.contains("hearth_denied_total 0\n"))
    }

    @Test func `other connections do not wait`() {
        var node = node()
        let (one, other) = (node.connect(), node.connect())
        node.send(Self.put, by: one)
        node.send(Self.put, by: one)
        node.send(TestGateway.request("/a.json"), by: other)
        #expect(node.answers(one).count == 1)
        #expect(node.answers(other).map(\.status) == [200])
    }
}
