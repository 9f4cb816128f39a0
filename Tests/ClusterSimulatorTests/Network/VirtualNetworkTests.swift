import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The network delays, loses, duplicates and reorders frames.
@Suite struct VirtualNetworkTests {
    private let frame = [UInt8](repeating: 5, count: 100)

    private func network(
        _ change: (inout NetworkSettings) -> Void = { _ in }
    ) -> VirtualNetwork {
        var settings = NetworkSettings()
        settings.link.delay = TimeRange(1_000, 20_000)
        change(&settings)
        return VirtualNetwork(settings, nodes: 3, clients: 1, seed: 7)
    }

    private func publish(_ network: inout VirtualNetwork, count: Int) -> [[Microseconds]] {
        (0..<count).map { index in
            network.publish(frame, from: 0, to: 1, at: UInt64(index) * 100).map(\.time)
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
            $0.link.loss = Probability(millionths: 100_000)
            $0.link.duplicate = Probability(millionths: 100_000)
            $0.link.reorder = Probability(millionths: 100_000)
        }
        let arrivals = publish(&network, count: 1_000)
        #expect((60...140) ~= arrivals.count(where: \.isEmpty))
        #expect((60...140) ~= arrivals.count { $0.count == 2 })
        let first = arrivals.compactMap(\.first)
        #expect(first != first.sorted())
    }

    @Test func `questions and answers come once and in order`() {
        var network = network { $0.link.loss = Probability(millionths: 500_000) }
        let arrivals = (0..<500).compactMap {
            network.ask(frame, from: 0, to: 1, at: UInt64($0) * 100)?.time
        }
        #expect(arrivals.count == 500)
        #expect(arrivals == arrivals.sorted())
    }

    @Test func `a cut stops one direction, and the frames that were on their way`() {
        var network = network()
        let epoch = network.epoch(from: 0, to: 1)
        network.cut(from: 0, to: 1, at: 0)
        #expect(network.publish([7], from: 0, to: 1, at: 0).isEmpty)
        #expect(network.ask([7], from: 0, to: 1, at: 0) == nil)
        #expect(!network.isConnected(from: 0, to: 1, epoch: epoch))
        #expect(!network.publish([7], from: 1, to: 0, at: 0).isEmpty)
    }

    @Test func `a partition parts groups both ways until it heals`() {
        var network = network()
        network.partition([[0], [1, 3]], at: 0)
        #expect(network.isCut(0, 1) && network.isCut(1, 0) && network.isCut(0, 3))
        #expect(!network.isCut(0, 2) && !network.isCut(1, 3))
        network.heal(at: 0)
        #expect(!network.isCut(0, 1) && !network.isCut(1, 0) && !network.isCut(0, 3))
    }

    @Test func `what is published before a subscriber is known is lost`() {
        var network = network { $0.join = TimeRange(50_000, 50_000) }
        network.reconnect(1, at: 0)
        #expect(network.publish([7], from: 0, to: 1, at: 49_000).isEmpty)
        #expect(network.publish([7], from: 0, to: 1, at: 51_000).count == 1)
    }

    @Test func `a full queue drops the newest frame`() {
        var network = network { $0.link.queue = 2 }
        #expect(publish(&network, count: 3).map(\.count) == [1, 1, 0])
        network.leaveQueue(from: 0, to: 1, epoch: network.epoch(from: 0, to: 1))
        #expect(publish(&network, count: 1).map(\.count) == [1])
    }

    @Test func `a narrow link sends one frame after the other`() {
        var network = network { $0.link.bandwidth = 1_000 }
        let second = publish(&network, count: 2)[1][0]
        #expect(second >= 200_000)
    }

    @Test func `a frame that is damaged differs, and an old one comes again`() {
        var network = network {
            $0.link.corrupt = Probability(millionths: 200_000)
            $0.link.truncate = Probability(millionths: 200_000)
            $0.link.replay = Probability(millionths: 200_000)
        }
        var damaged = 0
        var replayed = 0
        for number in 0..<UInt8(200) {
            let sent = [UInt8](repeating: number, count: 100)
            let deliveries = network.publish(sent, from: 0, to: 1, at: UInt64(number) * 100)
            if deliveries[0].bytes != sent { damaged += 1 }
            if deliveries.count == 2, deliveries[1].bytes[0] < number { replayed += 1 }
        }
        #expect((40...110) ~= damaged)
        #expect((20...70) ~= replayed)
        #expect(network.counts.damaged == UInt64(damaged))
        #expect(network.counts.replayed == UInt64(replayed))
    }

    @Test func `a heavy tail delays some frames much longer`() {
        var network = network {
            $0.link.delay = TimeRange(1_000, 1_000)
            $0.link.tail = Probability(millionths: 100_000)
            $0.link.reorder = Probability(millionths: 1_000_000)
        }
        let times = (0..<500).flatMap { _ in network.publish(frame, from: 0, to: 1, at: 0) }
            .map(\.time)
        #expect(times.contains { $0 > 50_000 })
        #expect(times.count { $0 == 3_000 } > 300)
    }

    @Test func `a ring leaves each node its two neighbours`() {
        var network = VirtualNetwork(NetworkSettings(), nodes: 5, clients: 0, seed: 1)
        network.makeRing(at: 0)
        for node in 0..<5 {
            let reached = (0..<5).filter { $0 != node && !network.isCut(node, $0) }
            #expect(reached == [(node + 1) % 5, (node + 4) % 5].sorted())
        }
        network.heal(at: 0)
        #expect(!(0..<25).contains { network.isCut($0 / 5, $0 % 5) })
    }

    @Test func `a bad direction is as it was once it heals`() {
        var network = network()
        var bad = LinkQuality()
        bad.loss = Probability(millionths: 1_000_000)
        network.degrade(from: 0, to: 1, bad)
        #expect(network.publish(frame, from: 0, to: 1, at: 0).isEmpty)
        #expect(network.publish(frame, from: 1, to: 0, at: 0).count == 1)
        network.heal(at: 0)
        #expect(network.publish(frame, from: 0, to: 1, at: 0).count == 1)
    }

    @Test func `a flapping direction opens and closes`() {
        var network = network()
        var states: [Bool] = []
        var now: Microseconds = 0
        for _ in 0..<4 {
            now = network.flap(from: 0, to: 1, at: now)
            states.append(network.isCut(0, 1))
        }
        #expect(states == [true, false, true, false])
        #expect(!network.isCut(1, 0))
    }

    @Test func `over a connection that its peer has forgotten nothing comes until that shows`() {
        var network = network { $0.join = TimeRange(5_000, 5_000) }
        let epoch = network.epoch(from: 1, to: 0)
        network.halfOpen(from: 0, to: 1, until: 100_000)
        func passes(at now: Microseconds) -> [Bool] {
            [
                network.ask(frame, from: 0, to: 1, at: now) != nil,
                network.answer(frame, from: 1, to: 0, at: now) != nil,
                !network.publish(frame, from: 1, to: 0, at: now).isEmpty,
            ]
        }
        #expect(passes(at: 0) == [false, false, false])
        #expect(passes(at: 101_000) == [true, true, false])
        #expect(passes(at: 106_000) == [true, true, true])
        #expect(!network.isConnected(from: 1, to: 0, epoch: epoch))
    }

    @Test func `the connection that a forgetful peer has made itself goes on`() {
        var network = network()
        network.halfOpen(from: 0, to: 1, until: 100_000)
        #expect(network.ask(frame, from: 1, to: 0, at: 0) != nil)
        #expect(network.answer(frame, from: 0, to: 1, at: 0) != nil)
        #expect(!network.publish(frame, from: 0, to: 1, at: 0).isEmpty)
    }

    @Test
    func `what a publisher has forgotten that somebody wants is not sent until they reconnect`() {
        let urge = PeerMessage.requestHeartbeat.frame
        let batch = PeerMessage.batch([1, 2, 3]).frame
        var network = network { $0.join = TimeRange(0, 0) }
        network.lose(.batches, from: 0, to: 1)
        #expect(network.publish(batch, from: 0, to: 1, at: 0).isEmpty)
        #expect(network.publish(urge, from: 0, to: 1, at: 0).count == 1)
        #expect(network.publish(batch, from: 0, to: 2, at: 0).count == 1)
        network.disconnect(0, 1, at: 0)
        #expect(network.publish(batch, from: 0, to: 1, at: 1).count == 1)
        network.lose(.batches, from: 0, to: 1)
        network.heal(at: 0)
        #expect(network.publish(batch, from: 0, to: 1, at: 1).count == 1)
    }

    @Test func `a node without handles keeps its connections, and gets none back that breaks`() {
        var network = network { $0.join = TimeRange(0, 0) }
        network.exhaust(0)
        #expect(network.isOpen(0, 1) && network.isOpen(1, 0))
        network.disconnect(0, 1, at: 0)
        #expect(!network.isOpen(0, 1) && !network.isOpen(1, 0) && network.isOpen(0, 2))
        #expect(network.ask(frame, from: 1, to: 0, at: 0) == nil)
        network.free(0, at: 0)
        #expect(network.isOpen(0, 1) && network.isOpen(1, 0))
        #expect(network.ask(frame, from: 1, to: 0, at: 0) != nil)
    }
}
