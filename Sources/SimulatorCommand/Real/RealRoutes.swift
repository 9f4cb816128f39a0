internal import ClusterAdministration
internal import ClusterConfiguration
internal import ClusterSimulator
internal import Sockets

/// The ways through a proxy: each node reaches each other by ports of its own, and so do clients, if they can be cut off.
struct RealRoutes {
    private(set) var routes: [FaultProxy.Route] = []
    /// The address at which each client reaches each node; empty if clients connect directly.
    private(set) var clientAddresses: [[String]] = []
    private var ports: ArraySlice<Int>

    static func portCount(nodes: Int, clients: Int) -> Int {
        2 * nodes * (nodes - 1) + clients * nodes
    }

    /// Enters the routes into a cluster's file.
    init(_ file: inout ClusterFile, clients: Int, ports: [Int]) {
        self.ports = ports[...]
        for to in file.nodes.indices {
            let (requests, updates) = (file.nodes[to].requests, file.nodes[to].updates)
            for from in file.nodes.indices where from != to {
                let link = DirectedLink(from: from, to: to)
                file.nodes[to].routes[file.nodes[from].id] = PeerRoute(
                    requests: "tcp://" + add(link, to: requests).authority,
                    updates: "tcp://" + add(link, to: updates).authority)
            }
        }
        for client in 0..<clients {
            clientAddresses.append(
                file.nodes.enumerated().map { node, member in
                    let link = DirectedLink(from: file.nodes.count + client, to: node)
                    return add(link, to: member.client).location
                })
        }
    }

    /// Takes the next port for a link.
    private mutating func add(_ link: DirectedLink, to endpoint: String) -> HTTPAddress {
        let place = endpoint.drop { $0 != ":" }
        guard let port = ports.popFirst(), let address = HTTPAddress("http://127.0.0.1:\(port)"),
            let target = HTTPAddress("http" + place)
        else { preconditionFailure("no port for a way to \(endpoint)") }
        routes.append(FaultProxy.Route(link: link, address: address, target: target))
        return address
    }
}
