internal import ClusterSimulator
internal import EventLoop
internal import Randomness
internal import ReplicaCore
internal import Sockets

/// The links of a proxied network, with the listeners and connections of the proxy. It belongs to the thread of its loop.
final class ProxiedLinks {
    /// Connections over one link; the oldest goes first. Nodes have two, clients one, but where a new one is made before the end of an
    /// old one is known.
    static let connectionLimit = 16

    private let loop: Loop
    private let pace: LinkPace
    private var directions: [DirectedLink: ProxiedDirection] = [:]
    private var listeners: [Listener] = []
    private var connections: [ProxiedConnection] = []

    /// - Throws: when a port of a route is taken.
    init(
        _ routes: [FaultProxy.Route], pace: LinkPace, seed: UInt64, on loop: Loop
    ) throws(SocketError) {
        self.loop = loop
        self.pace = pace
        var random = SplitMix64(seed: seed)
        for route in routes {
            for link in [route.link, route.link.reversed] where directions[link] == nil {
                directions[link] = ProxiedDirection(
                    pace, random: SplitMix64(seed: random.next()))
            }
            listeners.append(
                try Listener(at: route.address, on: loop) { [unowned self] stream in
                    accept(stream, by: route)
                })
        }
    }

    private func accept(_ stream: Stream, by route: FaultProxy.Route) {
        connections.removeAll(where: \.hasEnded)
        let others = connections.filter { $0.link == route.link }
        if others.count >= Self.connectionLimit {
            others[0].close()
            connections.removeAll { $0 === others[0] }
        }
        guard let there = directions[route.link], let back = directions[route.link.reversed] else {
            preconditionFailure("\(route.link) has no directions")
        }
        let connection = ProxiedConnection(
            route.link, of: stream, to: route.target, there: there, back: back, on: loop)
        connections.append(connection)
        connection.update()
    }

    /// Changes links, and has connections follow.
    func apply(_ change: NetworkChange) {
        connections.removeAll(where: \.hasEnded)
        switch change {
        case .cut(let links): for link in links { directions[link]?.isCut = true }
        case .open(let links): for link in links { directions[link]?.isCut = false }
        case .slow(let link, let pace): directions[link]?.pace = pace
        case .heal:
            for direction in directions.values {
                direction.isCut = false
                direction.pace = pace
            }
        case .disconnect(let first, let second):
            let link = DirectedLink(from: first, to: second)
            let broken = connections.filter { $0.link == link || $0.link == link.reversed }
            for connection in broken { connection.close() }
        case .halfOpen(let link):
            for connection in connections where connection.link == link { connection.forget() }
        }
        for connection in connections where !connection.hasEnded { connection.update() }
    }
}

/// The state of one direction of a link. All of its connections share it.
final class ProxiedDirection {
    var isCut = false
    var pace: LinkPace
    private var random: SplitMix64
    /// When the last byte has left, where there is a limit to the bandwidth, in microseconds.
    private var busyUntil: UInt64 = 0

    init(_ pace: LinkPace, random: SplitMix64) {
        self.pace = pace
        self.random = random
    }

    /// When so many bytes arrive that are sent now, unless others are before them.
    func arrival(ofBytes count: Int, at now: UInt64) -> UInt64 {
        busyUntil = max(busyUntil, now) + pace.departure(ofBytes: count)
        return busyUntil + pace.delay(drawing: &random)
    }
}
