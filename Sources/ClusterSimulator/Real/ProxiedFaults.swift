import ReplicaCore

// The faults of the network that a proxy between real nodes can apply. Faults of single frames
// (`lose`), and nodes without room for connections, need a simulated network.

/// A fault of the network that a proxy can do.
protocol ProxiedFault: Fault {
    /// The change of the network; nil if the proxy is not between all ends of the fault.
    func change(of network: ProxiedNetwork) -> NetworkChange?
}

/// The ends between which a proxy stands.
struct ProxiedNetwork {
    let nodes: Int
    /// How many clients there are; 0 if there are too many to be proxied.
    let clients: Int

    /// All directions between nodes.
    var links: [DirectedLink] {
        (0..<nodes).flatMap { from in
            (0..<nodes).filter { $0 != from }.map { DirectedLink(from: from, to: $0) }
        }
    }

    /// As changes of the network count it; nil for an end that is not proxied.
    fileprivate func number(of end: Endpoint) -> Int? {
        switch end {
        case .node(let node): node
        case .client(let client): client < clients ? nodes + client : nil
        }
    }

    /// Both directions between members of different groups, but for those between clients.
    fileprivate func links(between groups: [[Int]]) -> [DirectedLink] {
        groups.indices.flatMap { index in
            groups[index].flatMap { from in
                groups.indices.filter { $0 != index }.flatMap { groups[$0] }
                    .filter { from < nodes || $0 < nodes }
                    .map { DirectedLink(from: from, to: $0) }
            }
        }
    }
}

extension Partition: ProxiedFault {
    func change(of network: ProxiedNetwork) -> NetworkChange? {
        switch sides {
        case .oneWay(let from, let to):
            guard let from = network.number(of: from), let to = network.number(of: to) else {
                return nil
            }
            return .cut([DirectedLink(from: from, to: to)])
        case .groups(let groups):
            let numbers = groups.map { $0.compactMap(network.number) }
            guard numbers.map(\.count) == groups.map(\.count) else { return nil }
            return .cut(network.links(between: numbers))
        }
    }

    /// Whether clients are among its ends.
    var namesClients: Bool {
        let ends =
            switch sides {
            case .oneWay(let from, let to): [from, to]
            case .groups(let groups): groups.flatMap { $0 }
            }
        return ends.contains { if case .client = $0 { true } else { false } }
    }
}

extension Isolate: ProxiedFault {
    func change(of network: ProxiedNetwork) -> NetworkChange? {
        .cut(network.links.filter { $0.from == node || $0.to == node })
    }
}

extension Ring: ProxiedFault {
    func change(of network: ProxiedNetwork) -> NetworkChange? {
        let count = network.nodes
        return .cut(
            network.links.filter { link in
                (link.from + 1) % count != link.to && (link.to + 1) % count != link.from
            })
    }
}

extension Clog: ProxiedFault {
    func change(of network: ProxiedNetwork) -> NetworkChange? {
        .cut([DirectedLink(from: from, to: to)])
    }
}

extension Unclog: ProxiedFault {
    func change(of network: ProxiedNetwork) -> NetworkChange? {
        .open([DirectedLink(from: from, to: to)])
    }
}

extension Disconnect: ProxiedFault {
    func change(of network: ProxiedNetwork) -> NetworkChange? { .disconnect(nodes[0], nodes[1]) }
}

extension HalfOpen: ProxiedFault {
    func change(of network: ProxiedNetwork) -> NetworkChange? {
        .halfOpen(DirectedLink(from: from, to: to))
    }
}

extension Degrade: ProxiedFault {
    func change(of network: ProxiedNetwork) -> NetworkChange? {
        .slow(DirectedLink(from: from, to: to), LinkPace(quality))
    }

    /// The settings that only a simulated network has.
    func simulatedSettings(in scenario: Scenario) -> [String] {
        var changed = scenario
        changed.network.link = quality
        return ScenarioSetting.link(at: \.network.link)
            .filter {
                !LinkPace.settings.contains($0.name) && $0.write(changed) != $0.write(scenario)
            }
            .map { "\(Degrade.name) \($0.name)" }
    }
}

extension Heal: ProxiedFault {
    func change(of network: ProxiedNetwork) -> NetworkChange? { .heal }
}

extension LinkPace {
    /// The settings of a link that it has.
    static let settings = ["delay", "tail", "bandwidth"]
}

extension Flap {
    /// The changes of the network during the fault, each with its time since the beginning.
    func changes(
        during length: Microseconds, drawing random: inout SplitMix64
    ) -> [(after: Microseconds, change: NetworkChange)] {
        let link = [DirectedLink(from: from, to: to)]
        var changes: [(after: Microseconds, change: NetworkChange)] = []
        var time: Microseconds = 0
        while time < length {
            changes.append((time, changes.count.isMultiple(of: 2) ? .cut(link) : .open(link)))
            time += random.time(in: Flap.phase)
        }
        return changes
    }
}
