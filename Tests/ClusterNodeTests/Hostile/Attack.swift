import DataTree
import Sockets
import SyncProtocol
import Testing
import ZeroMQ

@testable import ClusterAdministration

/// Sends hostile frames to every socket of the nodes of some bad company.
struct Attack {
    private var frames: HostileFrames
    private let company: BadCompany
    private let publisher: Socket
    private let answerer: Socket
    private var clients: [NodeSocket] = []
    private var askers: [Socket] = []
    private var subscribers: [Socket] = []
    private var next = 0

    init(on company: BadCompany, seed: UInt64) throws {
        self.company = company
        var writers: [WriterID] = []
        for node in 1...2 {
            let status = try company.status(at: company.address(node))
            writers.append(
                WriterID(bits: try #require(UInt64(status.identity.writer, radix: 32))))
        }
        frames = HostileFrames(seed: seed, cluster: company.file.cluster, writers: writers)
        let fake = company.file.nodes[2]
        publisher = try Socket(.publisher, in: company.context)
        publisher.sendHighWaterMark = 10_000
        try publisher.bind(fake.updates)
        answerer = try Socket(.router, in: company.context)
        answerer.reportUnroutable()
        try answerer.bind(fake.requests)
        for node in company.file.nodes.prefix(2) {
            for _ in 0..<4 { clients.append(try company.connect(to: node.client)) }
            for name in ["n2", "n3", "nobody", "é"] {
                let asker = try Socket(.dealer, in: company.context)
                asker.routingID = Array(name.utf8)
                try asker.connect(node.requests)
                askers.append(asker)
            }
            let subscriber = try Socket(.subscriber, in: company.context)
            try subscriber.connect(node.updates)
            subscribers.append(subscriber)
        }
    }

    /// Sends a frame to the next kind of socket.
    mutating func sendOne() {
        next += 1
        switch next % 8 {
        case 0: publisher.send(frames.peerFrame())
        case 1:
            let frame = frames.chance(50) ? frames.peerFrame() : frames.clientFrame()
            askers[frames.number(below: askers.count)].send(frame)
        case 2: publisher.send([frames.peerFrame(), frames.peerFrame()])
        case 3:
            let target = frames.chance(50) ? "n1" : "n2"
            answerer.send([Array(target.utf8), frames.peerFrame()])
        case 4: sendBytes()
        case 5 where frames.chance(10):
            subscribers[frames.number(below: subscribers.count)].subscribe(to: frames.noise())
        case 6 where frames.chance(5): replaceClient()
        default: clients[frames.number(below: clients.count)].send(frames.clientFrame())
        }
    }

    /// Reads what came back, and gives the nodes a chance to take what was sent.
    mutating func pause() throws {
        for client in clients { _ = client.receive { _ in } }
        for socket in askers + subscribers + [answerer] {
            while socket.receive({ _ in }) != nil {}
        }
        _ = try company.status(at: company.address(1))
        _ = try company.status(at: company.address(2))
    }

    /// Bytes to the port of a node, in a connection of their own.
    private mutating func sendBytes() {
        let node = frames.chance(50) ? 1 : 2
        guard let address = HTTPAddress(company.address(node)),
            let socket = try? PolledSocket(to: address), socket.wait(upTo: .seconds(1)),
            (try? socket.finishConnecting()) == true
        else { return }
        _ = socket.send(frames.portBytes())
    }

    /// A session ends without a word, and another begins.
    private mutating func replaceClient() {
        let index = frames.number(below: clients.count)
        let node = index < clients.count / 2 ? 1 : 2
        if let client = try? company.connect(to: company.address(node)) { clients[index] = client }
    }
}
