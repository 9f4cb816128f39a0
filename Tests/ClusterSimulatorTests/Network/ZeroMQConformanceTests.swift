import Testing
import ZeroMQ

@testable import ClusterSimulator

/// The same script, done by ZeroMQ itself and by the model of it, gives the same messages.
@Suite struct ZeroMQConformanceTests {
    enum Step {
        /// A subscriber connects, and the publisher knows of it.
        case join(Int)
        case leave(Int)
        case publish(Int)
        /// A subscriber takes all that is there.
        case read(Int)
    }

    struct Script: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: [Step]
        /// The results of the reads, in order.
        var found: [[UInt8]]
        /// Some queue becomes full; over TCP, the system's buffers would take the rest.
        var overflows = false
    }

    /// How much waits for one subscriber.
    private static let queue = 8

    static let scripts = [
        Script(
            testDescription: "what a slow subscriber has no room for is dropped, the newest first",
            steps: [.join(0), .publish(30), .read(0), .publish(3), .read(0)],
            found: [Array(0..<8), [30, 31, 32]], overflows: true),
        Script(
            testDescription: "a slow subscriber costs another one nothing",
            steps: [
                .join(0), .join(1), .publish(6), .read(0), .publish(6), .read(0), .publish(6),
                .read(0), .read(1),
            ],
            found: [Array(0..<6), Array(6..<12), Array(12..<18), Array(0..<8)], overflows: true),
        Script(
            testDescription: "what was published before a subscriber came is lost",
            steps: [.publish(5), .join(0), .publish(3), .read(0)], found: [[5, 6, 7]]),
        Script(
            testDescription: "what was published while a subscriber was away is never sent again",
            steps: [
                .join(0), .publish(3), .read(0), .leave(0), .publish(5), .join(0), .publish(2),
                .read(0),
            ],
            found: [[0, 1, 2], [8, 9]]),
        Script(
            testDescription: "what a subscriber has not read goes with its connection",
            steps: [.join(0), .publish(5), .leave(0), .join(0), .publish(2), .read(0)],
            found: [[5, 6]]),
        Script(
            testDescription: "a full queue goes with its connection, and leaves room for the next",
            steps: [.join(0), .publish(12), .leave(0), .join(0), .publish(8), .read(0)],
            found: [Array(12..<20)], overflows: true),
    ]

    @Test(arguments: scripts) func `ZeroMQ does it`(script: Script) throws {
        var run = try LibraryRun(capacity: ZeroMQConformanceTests.queue)
        #expect(try run.run(script.steps) == script.found)
    }

    @Test(arguments: scripts.filter { !$0.overflows })
    func `ZeroMQ does it over TCP`(script: Script) throws {
        var run = try LibraryRun(at: "tcp://127.0.0.1:*", capacity: ZeroMQConformanceTests.queue)
        #expect(try run.run(script.steps) == script.found)
    }

    @Test(arguments: scripts) func `the model does it`(script: Script) {
        var run = ModelRun(capacity: ZeroMQConformanceTests.queue)
        #expect(run.run(script.steps) == script.found)
    }
}

/// Two subscribers of one publisher.
private struct LibraryRun {
    private let endpoint: String
    private let context = Context()
    private let publisher: Socket
    private var subscribers: [Socket]
    private let capacity: Int

    /// - Parameter capacity: Half of it waits at the publisher, half at each subscriber.
    init(at address: String = "inproc://conformance", capacity: Int) throws {
        let publisher = try Socket(.publisher, in: context)
        publisher.sendHighWaterMark = capacity / 2
        publisher.reportEverySubscription()
        try publisher.bind(address)
        endpoint = publisher.lastEndpoint
        self.publisher = publisher
        self.capacity = capacity
        let first = try LibraryRun.subscriber(in: context, capacity)
        subscribers = [first, try LibraryRun.subscriber(in: context, capacity)]
    }

    private static func subscriber(in context: Context, _ capacity: Int) throws -> Socket {
        let subscriber = try Socket(.subscriber, in: context)
        subscriber.receiveHighWaterMark = capacity / 2
        subscriber.subscribe()
        return subscriber
    }

    mutating func run(_ steps: [ZeroMQConformanceTests.Step]) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        var published: UInt8 = 0
        for step in steps {
            switch step {
            case .join(let index):
                try subscribers[index].connect(endpoint)
                expectSubscription([1])
            case .leave(let index):
                subscribers[index].close()
                expectSubscription([0])
                subscribers[index] = try LibraryRun.subscriber(in: context, capacity)
            case .publish(let count):
                for _ in 0..<count {
                    #expect(publisher.send([published]) == .sent)
                    published += 1
                }
            case .read(let index): found.append(read(subscribers[index]))
            }
        }
        return found
    }

    private func expectSubscription(_ frame: [UInt8]) {
        #expect(publisher.wait(upTo: .seconds(5)))
        #expect(publisher.receive() == [frame])
    }

    private func read(_ subscriber: Socket) -> [UInt8] {
        var found: [UInt8] = []
        while subscriber.wait(upTo: .milliseconds(50)), let message = subscriber.receive() {
            found += message.joined()
        }
        return found
    }
}

/// The same with nodes of a virtual network: the first publishes.
private struct ModelRun {
    private var network: VirtualNetwork
    private var arriving: [[(epoch: Int, bytes: [UInt8])]] = [[], []]

    init(capacity: Int) {
        var settings = NetworkSettings()
        settings.link.queue = capacity
        settings.join = TimeRange(0, 0)
        network = VirtualNetwork(settings, nodes: 3, clients: 0, seed: 1)
        for subscriber in 1...2 { network.cut(from: 0, to: subscriber, at: 0) }
    }

    mutating func run(_ steps: [ZeroMQConformanceTests.Step]) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var published: UInt8 = 0
        for step in steps {
            switch step {
            case .join(let index): network.flip(index + 1)
            case .leave(let index): network.flip(index + 1)
            case .publish(let count):
                for _ in 0..<count {
                    publish([published])
                    published += 1
                }
            case .read(let index): found.append(read(index))
            }
        }
        return found
    }

    private mutating func publish(_ bytes: [UInt8]) {
        for index in arriving.indices {
            let epoch = network.epoch(from: 0, to: index + 1)
            for delivery in network.publish(bytes, from: 0, to: index + 1, at: 1) {
                arriving[index].append((epoch, delivery.bytes))
            }
        }
    }

    private mutating func read(_ index: Int) -> [UInt8] {
        var found: [UInt8] = []
        for (epoch, bytes) in arriving[index] {
            network.leaveQueue(from: 0, to: index + 1, epoch: epoch)
            if network.isConnected(from: 0, to: index + 1, epoch: epoch) { found += bytes }
        }
        arriving[index].removeAll()
        return found
    }
}

extension VirtualNetwork {
    /// Cuts a subscriber off, or lets it in.
    fileprivate mutating func flip(_ subscriber: Int) {
        _ = flap(from: 0, to: subscriber, at: 0)
    }
}
