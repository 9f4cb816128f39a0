internal import ClusterConfiguration
internal import Sockets
internal import ZeroMQ

// The addresses at which a node listens. With a name, these are all of its machine, so the name may get another address.

extension NodeConfiguration.Member {
    /// The address at which the node listens for clients.
    var clientListenAddress: String {
        let port = NodeEndpoint(client).port
        return "http://\(listenHost(for: client) ?? "[::]"):\(port)"
    }
}

extension Socket {
    /// Binds one of a node's own endpoints for peers.
    func bind(_ endpoint: String, of own: NodeConfiguration.Member) throws(ZeroMQError) {
        let host = own.listenHost(for: endpoint)
        hasIPv6 = host.map { $0.hasPrefix("[") } ?? true
        try bind(NodeEndpoint(endpoint).text(at: numericHost(host) ?? "*"))
    }

    /// ZeroMQ binds addresses alone: a name is looked up here.
    private func numericHost(_ host: String?) -> String? {
        guard let host, let address = HTTPAddress("http://\(host):1"),
            let first = try? address.resolved().first
        else { return host }
        return first.host
    }
}
