import EventLoop
import Glibc
import ReplicaCore
import Sockets
import Testing
import ZeroMQ

@testable import ClusterConfiguration
@testable import ClusterNode

@Suite(.timeLimit(.minutes(1))) struct `Ports for peers` {
    @Test func `connect to a peer by its route, and not to the endpoints that it names`() throws {
        let base = try TestCluster.freePorts()
        let (n1, n2) = (Self.member("n1", base), Self.member("n2", base + 10))
        // Nobody listens where n1 believes n2 to be.
        var told = Self.member("n2", base + 20)
        told.routes = ["n1": PeerRoute(requests: n2.requests, updates: n2.updates)]
        #expect(try areConnected(n1, n2, told))
    }

    @Test func `connect to a peer whose host is a name, once the name is found`() throws {
        let base = try TestCluster.freePorts()
        // At a name, n2 listens at all addresses.
        guard let name = Self.ownName else { return }
        let (n1, n2) = (Self.member("n1", base), Self.member("n2", base + 10, at: name))
        #expect(try areConnected(n1, n2, n2))
    }

    @Test func `connect to a peer over IPv6`() throws {
        let base = try TestCluster.freePorts()
        let (n1, n2) = (Self.member("n1", base), Self.member("n2", base + 10, at: "[::1]"))
        #expect(try areConnected(n1, n2, n2))
    }

    /// Whether frames of both kinds pass between two nodes.
    ///
    /// - Parameter told: The second node as the first one knows it.
    private func areConnected(
        _ n1: NodeConfiguration.Member, _ n2: NodeConfiguration.Member,
        _ told: NodeConfiguration.Member
    ) throws -> Bool {
        let first = try PeerPorts(of: n1, among: [n1, told], in: Context(), security: nil)
        let second = try PeerPorts(of: n2, among: [n1, n2], in: Context(), security: nil)
        let loop = try Loop()
        var (published, asked): ([UInt8]?, [UInt8]?)
        try first.open(on: loop) { if case .published(let frame) = $0 { published = frame } }
        try second.open(on: loop) {
            if case .asked(let frame, by: "n1") = $0 { asked = frame }
        }
        loop.atEndOfTurn = {
            first.endTurn()
            second.endTurn()
            if published != nil, asked != nil { loop.stop() }
        }
        // Frames that are sent before the connections exist are lost.
        let sending = try loop.timer(every: .milliseconds(50)) {
            first.ask("n2", [7])
            second.publish([8], .gathered)
        }
        let deadline = try loop.timer(after: .seconds(30)) { loop.stop() }
        withExtendedLifetime((sending, deadline)) { loop.run() }
        for ports in [first, second] {
            ports.stopReceiving()
            ports.close()
        }
        return asked == [7] && published == [8]
    }

    /// A subscriber ignores a second connection to an address, and the end of the first would end both.
    @Test func `connect to peers that exchange their addresses`() throws {
        let base = try TestCluster.freePorts()
        let own = Self.member("n1", base)
        // All nodes have the same ports, as on machines of their own.
        let (ids, hosts) = (["n2", "n3"], ["127.0.0.2", "127.0.0.3"])
        let named = ids.map { Self.member($0, base + 10, at: "\($0).invalid") }
        let ports = try PeerPorts(of: own, among: [own] + named, in: Context(), security: nil)
        let loop = try Loop()
        var published: Set<UInt8> = []
        try ports.open(on: loop) {
            if case .published(let frame) = $0 { published.formUnion(frame) }
        }
        func move(_ index: Int, to host: String) throws {
            let address = try #require(HTTPAddress("http://\(host):1")).resolved()
            #expect(ports.namedConnections.map(\.peer) == ids)
            ports.namedConnections[index].connection.follow(.found(address), isConnected: false)
        }
        for (index, host) in hosts.enumerated() { try move(index, to: host) }
        let publishers = try hosts.map { host in
            let publisher = try Socket(.publisher, in: Context())
            try publisher.bind("tcp://\(host):\(base + 12)")
            return publisher
        }
        var hasMoved = false
        let sending = try loop.timer(every: .milliseconds(50)) {
            if !hasMoved, published == [0, 1] {
                hasMoved = true
                for (index, host) in hosts.reversed().enumerated() { try? move(index, to: host) }
            }
            if published.isSuperset(of: [2, 3]) { return loop.stop() }
            // Frames that are sent before the connections exist are lost.
            for (index, publisher) in publishers.enumerated() {
                publisher.send([UInt8(hasMoved ? index + 2 : index)])
            }
        }
        let deadline = try loop.timer(after: .seconds(10)) { loop.stop() }
        withExtendedLifetime((sending, deadline)) { loop.run() }
        #expect(published == [0, 1, 2, 3])
        ports.stopReceiving()
        ports.close()
    }

    /// The ports of a node with keys, which knows some nodes.
    private func ports(
        of own: NodeConfiguration.Member, among nodes: [NodeConfiguration.Member],
        _ keys: KeyPair, on loop: Loop, receive: @escaping (Input) -> Void
    ) throws -> (ports: PeerPorts, security: Security) {
        let configuration = NodeConfiguration(
            cluster: "c", durability: .commit, directory: "", nodes: nodes)
        let context = Context()
        let security = try Security(as: keys, of: configuration, in: context)
        let ports = try PeerPorts(of: own, among: nodes, in: context, security: security)
        let log = NodeLog(member: own.id, settings: LogSettings())
        try security.open(on: loop, log: log)
        try ports.open(on: loop, log: log, receive: receive)
        return (ports, security)
    }

    /// ZeroMQ gives up a connection that was refused.
    @Test func `connect to a peer that lists their key after its restart`() throws {
        let base = try TestCluster.freePorts()
        let keys = [KeyPair.random(), KeyPair.random()]
        var (n1, n2) = (Self.member("n1", base), Self.member("n2", base + 10))
        (n1.publicKey, n2.publicKey) = (keys[0].publicKey, keys[1].publicKey)
        let nodes = [n1, n2]
        let loop = try Loop()
        var (asked, published): ([UInt8]?, [UInt8]?)
        var first = try ports(of: n1, among: [n1], keys[0], on: loop) { _ in }
        let second = try ports(of: n2, among: nodes, keys[1], on: loop) {
            if case .published(let frame) = $0 { published = frame }
        }
        var (hasEnded, hasRestarted) = (false, false)
        let sending = try loop.timer(every: .milliseconds(50)) {
            if !hasEnded, first.security.refusals >= 2 {
                hasEnded = true
                first.ports.stopReceiving()
                first.security.close()
                first.ports.close()
            } else if hasEnded, !hasRestarted {
                // ZeroMQ frees the endpoints a moment later.
                let next = try? ports(of: nodes[0], among: nodes, keys[0], on: loop) {
                    if case .asked(let frame, by: "n2") = $0 { asked = frame }
                }
                if let next { (first, hasRestarted) = (next, true) }
            }
            second.ports.ask("n1", [7])
            second.ports.endTurn()
            if hasRestarted {
                first.ports.publish([8], .gathered)
                first.ports.endTurn()
            }
            if asked != nil, published != nil { loop.stop() }
        }
        let ticks = try loop.timer(every: .seconds(1)) { second.ports.tick() }
        let deadline = try loop.timer(after: .seconds(30)) { loop.stop() }
        withExtendedLifetime((sending, ticks, deadline)) { loop.run() }
        #expect(hasRestarted)
        #expect(asked == [7] && published == [8])
        for (ports, security) in [first, second] {
            ports.stopReceiving()
            security.close()
            ports.close()
        }
    }

    @Test func `get answers again after a stranger has connected under the node's name`() throws {
        let base = try TestCluster.freePorts()
        let (n1, n2) = (Self.member("n1", base), Self.member("n2", base + 10))
        let first = try PeerPorts(of: n1, among: [n1, n2], in: Context(), security: nil)
        let second = try PeerPorts(of: n2, among: [n1, n2], in: Context(), security: nil)
        let loop = try Loop()
        var stranger: Socket?
        var (strangerAsked, answers) = (false, 0)
        try first.open(on: loop) {
            guard case .asked(let frame, let member) = $0 else { return }
            if frame == [9] { strangerAsked = true } else { first.answer(member, [8]) }
        }
        try second.open(on: loop) { if case .answered([8], from: "n1") = $0 { answers += 1 } }
        loop.atEndOfTurn = {
            first.endTurn()
            second.endTurn()
            if strangerAsked {
                if stranger != nil { (stranger, answers) = (nil, 0) }
                if answers > 0 { loop.stop() }
            }
        }
        let sending = try loop.timer(every: .milliseconds(50)) {
            second.ask("n1", [7])
            if answers > 0, stranger == nil, !strangerAsked {
                stranger = try? Socket(.dealer, in: Context())
                stranger?.routingID = Array("n2".utf8)
                try? stranger?.connect(n1.requests)
                stranger?.send([9])
            }
        }
        let ticks = try loop.timer(every: .seconds(1)) {
            first.tick()
            second.tick()
        }
        let deadline = try loop.timer(after: .seconds(30)) { loop.stop() }
        withExtendedLifetime((sending, ticks, deadline)) { loop.run() }
        #expect(strangerAsked)
        #expect(answers > 0)
        for ports in [first, second] {
            ports.stopReceiving()
            ports.close()
        }
    }

    /// libzmq aborts the process if a ping is due on such a connection.
    @Test func `survive the end of a peer whose frames fill their queue`() throws {
        let base = try TestCluster.freePorts()
        let (n1, n2) = (Self.member("n1", base), Self.member("n2", base + 10))
        let publisher = try Socket(.publisher, in: Context())
        publisher.sendHighWaterMark = 0
        publisher.linger = .zero
        try publisher.bind(n2.updates)
        // Receives nothing, as while a turn takes long.
        let ports = try PeerPorts(of: n1, among: [n1, n2], in: Context(), security: nil)
        let loop = try Loop()
        var frames = 0
        let sending = try loop.timer(every: .milliseconds(10)) {
            for _ in 0..<500 where frames < 40_000 {
                _ = publisher.send([UInt8](repeating: 1, count: 1_000))
                frames += 1
            }
            if frames == 40_000 { publisher.close() }
        }
        let end = try loop.timer(after: .milliseconds(4_500)) { loop.stop() }
        withExtendedLifetime((sending, end)) { loop.run() }
        #expect(frames == 40_000)
        ports.close()
    }

    @Test func `cut idle connections of strangers, and let peers connect`() throws {
        let base = try TestCluster.freePorts()
        let (n1, n2) = (Self.member("n1", base), Self.member("n2", base + 10))
        let first = try PeerPorts(of: n1, among: [n1, n2], in: Context(), security: nil)
        let loop = try Loop()
        var asked: [UInt8]?
        try first.open(on: loop) { if case .asked(let frame, by: "n2") = $0 { asked = frame } }
        let strangers = try (0..<PeerConnections.unknownLimit + 300).map { number in
            let port = base + 1 + number % 2
            return try PolledSocket(to: try #require(HTTPAddress("http://127.0.0.1:\(port)")))
        }
        var second: PeerPorts?
        loop.atEndOfTurn = {
            first.endTurn()
            second?.endTurn()
            if asked != nil { loop.stop() }
        }
        let sending = try loop.timer(every: .milliseconds(50)) {
            guard second != nil || first.connections.cut > 0 else { return }
            if second == nil {
                second = try? PeerPorts(of: n2, among: [n1, n2], in: Context(), security: nil)
            }
            second?.ask("n1", [7])
        }
        let deadline = try loop.timer(after: .seconds(30)) { loop.stop() }
        withExtendedLifetime((sending, deadline, strangers)) { loop.run() }
        #expect(asked == [7])
        let counts = first.connections
        #expect(counts.connections <= PeerConnections.unknownLimit + 4, "\(counts)")
        for ports in [first, second] {
            ports?.stopReceiving()
            ports?.close()
        }
    }

    /// The first bytes of a handshake with keys, and more bytes than a whole handshake has.
    private static let endlessHandshake: [UInt8] =
        [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 1] + Array("CURVE".utf8)
        + [UInt8](repeating: 0, count: 47)
        // The head of a long command.
        + [0x06, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 7, count: 600)

    @Test func `cut connections that send much and show no key`() throws {
        let base = try TestCluster.freePorts()
        let keys = [KeyPair.random(), KeyPair.random()]
        var (n1, n2) = (Self.member("n1", base), Self.member("n2", base + 10))
        (n1.publicKey, n2.publicKey) = (keys[0].publicKey, keys[1].publicKey)
        let nodes = [n1, n2]
        let loop = try Loop()
        var asked: [UInt8]?
        let first = try ports(of: n1, among: nodes, keys[0], on: loop) {
            if case .asked(let frame, by: "n2") = $0 { asked = frame }
        }
        // It is connected before the strangers are, and stays so.
        let second = try ports(of: n2, among: nodes, keys[1], on: loop) { _ in }
        var strangers: [PolledSocket] = []
        let address = try #require(HTTPAddress("http://127.0.0.1:\(base + 1)"))
        var hasCut = false
        let sending = try loop.timer(every: .milliseconds(20)) {
            if asked == nil || hasCut { second.ports.ask("n1", [hasCut ? 8 : 7]) }
            if asked == [7], strangers.count < PeerConnections.unknownLimit + 150 {
                for _ in 0..<10 { strangers += [try? PolledSocket(to: address)].compactMap(\.self) }
            }
            for stranger in strangers where (try? stranger.finishConnecting()) == true {
                _ = stranger.send(Self.endlessHandshake)
            }
            if first.ports.connections.cut >= 100 { hasCut = true }
            if asked == [8] { loop.stop() }
            second.ports.endTurn()
            first.ports.endTurn()
        }
        let deadline = try loop.timer(after: .seconds(30)) { loop.stop() }
        withExtendedLifetime((sending, deadline)) { loop.run() }
        #expect(asked == [8], "\(first.ports.connections)")
        #expect(first.ports.connections.connections <= PeerConnections.unknownLimit + 4)
        for (ports, security) in [first, second] {
            ports.stopReceiving()
            security.close()
            ports.close()
        }
    }

    /// The name of this machine, if it can be looked up.
    private static var ownName: String? {
        var text = [CChar](repeating: 0, count: 256)
        guard gethostname(&text, 255) == 0 else { return nil }
        let name = String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (try? HTTPAddress("http://\(name):1")?.resolved()) == nil ? nil : name
    }

    private static func member(
        _ id: String, _ port: Int, at host: String = "127.0.0.1"
    ) -> NodeConfiguration.Member {
        NodeConfiguration.Member(
            id: id, client: "http://\(host):\(port)", requests: "tcp://\(host):\(port + 1)",
            updates: "tcp://\(host):\(port + 2)")
    }
}
