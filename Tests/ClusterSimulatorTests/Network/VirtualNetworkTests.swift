import Testing

@testable import ClusterSimulator

/// What the network does with frames.
@Suite struct VirtualNetworkTests {
    private func network(
        _ change: (inout Scenario.Network) -> Void = { _ in }
    ) -> VirtualNetwork {
        var settings = Scenario.Network()
        settings.delay = TimeRange(1_000, 20_000)
        change(&settings)
        return VirtualNetwork(settings, nodes: 3, clients: 1, seed: 7)
    }

    private func publish(_ network: inout VirtualNetwork, count: Int) -> [[Microseconds]] {
        (0..<count).map { index in
            network.publish(byteCount: 100, from: 0, to: 1, at: UInt64(index) * 100)
        }
    }

    @Test func `published frames come once and in order where nothing is lost`() {
        var network = network()
        let arrivals = publish(&network, count: 500)
        #expect(arrivals.allSatisfy { $0.count == 1 })
        #expect(arrivals.flatMap(\.self) == arrivals.flatMap(\.self).sorted())
    }

    @Test func `published frames get lost, come twice and change places as often as it is said`() {
        var network = network {
            $0.loss = Probability(millionths: 100_000)
            $0.duplicate = Probability(millionths: 100_000)
            $0.reorder = Probability(millionths: 100_000)
        }
        let arrivals = publish(&network, count: 1_000)
        #expect((60...140) ~= arrivals.count(where: \.isEmpty))
        #expect((60...140) ~= arrivals.count { $0.count == 2 })
        let first = arrivals.compactMap(\.first)
        #expect(first != first.sorted())
    }

    @Test func `questions and answers come once and in order`() {
        var network = network { $0.loss = Probability(millionths: 500_000) }
        let arrivals = (0..<500).compactMap {
            network.send(byteCount: 100, from: 0, to: 1, at: UInt64($0) * 100)
        }
        #expect(arrivals.count == 500)
        #expect(arrivals == arrivals.sorted())
    }

    @Test func `a cut stops one direction, and the frames that were on their way`() {
        var network = network()
        let epoch = network.epoch(from: 0, to: 1)
        network.cut(from: 0, to: 1, at: 0)
        #expect(network.publish(byteCount: 1, from: 0, to: 1, at: 0).isEmpty)
        #expect(network.send(byteCount: 1, from: 0, to: 1, at: 0) == nil)
        #expect(!network.isConnected(from: 0, to: 1, epoch: epoch))
        #expect(!network.publish(byteCount: 1, from: 1, to: 0, at: 0).isEmpty)
    }

    @Test func `a partition parts groups both ways until it heals`() {
        var network = network()
        network.partition([[0], [1, 3]], at: 0)
        #expect(network.isCut(0, 1) && network.isCut(1, 0) && network.isCut(0, 3))
        #expect(!network.isCut(0, 2) && !network.isCut(1, 3))
        network.heal(at: 0)
        #expect(network.isWhole)
    }

    @Test func `what is published before a subscriber is known is lost`() {
        var network = network { $0.join = TimeRange(50_000, 50_000) }
        network.reconnect(1, at: 0)
        #expect(network.publish(byteCount: 1, from: 0, to: 1, at: 49_000).isEmpty)
        #expect(network.publish(byteCount: 1, from: 0, to: 1, at: 51_000).count == 1)
    }

    @Test func `a full queue drops the newest frame`() {
        var network = network { $0.queue = 2 }
        #expect(publish(&network, count: 3).map(\.count) == [1, 1, 0])
        network.leaveQueue(from: 0, to: 1)
        #expect(publish(&network, count: 1).map(\.count) == [1])
    }

    @Test func `a narrow link sends one frame after the other`() {
        var network = network { $0.bandwidth = 1_000 }
        let second = publish(&network, count: 2)[1][0]
        #expect(second >= 200_000)
    }
}
