internal import ClusterConfiguration
internal import CommandLineKit
internal import Sockets

/// A node of a new cluster: its name, its host and the first of its three ports.
struct SetupNode: Equatable {
    let id: String
    /// An address, with brackets around an IPv6 address, or a name.
    let host: String
    let port: Int

    static let firstPort = 7001
    /// Nodes of one host are so many ports apart.
    private static let portStep = 10
    static let limit = 99

    /// Reads hosts that are separated by commas or spaces. Each is `HOST`, `HOST:PORT` or `NAME=HOST:PORT`.
    ///
    /// - Throws: a usage error for a text that is no such list.
    static func list(_ text: String) throws(CommandError) -> [SetupNode] {
        let words = text.split { $0 == "," || $0.isWhitespace }
        guard (1...limit).contains(words.count) else {
            throw CommandError(
                .usage, "a cluster has 1 to \(limit) nodes, not \(words.count)",
                fix: "write their hosts, such as db1.example.com,db2.example.com,db3.example.com")
        }
        var nodes: [SetupNode] = []
        for word in words { nodes.append(try SetupNode(word, after: nodes)) }
        try checkLoopback(nodes)
        return nodes
    }

    private init(_ word: Substring, after others: [SetupNode]) throws(CommandError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        id = parts.count == 2 ? String(parts[0]) : "n\(others.count + 1)"
        let place = parts.last ?? word
        // In an IPv6 address, the port follows the bracket.
        let end = place.lastIndex(of: "]") ?? place.startIndex
        let colon = place[end...].lastIndex(of: ":")
        host = String(place[..<(colon ?? place.endIndex)])
        let neighbours = others.filter { [host] in $0.machine == Self.machine(host) }
        let free = (neighbours.map(\.port).max()).map { $0 + Self.portStep } ?? Self.firstPort
        port = colon.map { Int(place[place.index(after: $0)...]) ?? 0 } ?? free
        try check(word, after: others)
    }

    private func check(_ word: Substring, after others: [SetupNode]) throws(CommandError) {
        do throws(NodeError) { try NodeConfiguration.Member.check(name: id) } catch {
            throw CommandError(.usage, error.problem, fix: error.fix)
        }
        guard (1...65_533).contains(port), NodeConfiguration.isHost(host) else {
            let isNumber = Int(word) != nil
            throw CommandError(
                .usage, "\"\(word)\" is not a host",
                fix: isNumber
                    ? "write the hosts of the nodes; `hearth cluster up --nodes \(word)` starts so many nodes on this machine"
                    : "write a name or an address, such as db1.example.com, 10.0.0.1 or [fd00::1], maybe with a port below 65534"
            )
        }
        for other in others where other.id == id || other.overlaps(self) {
            throw CommandError(
                .usage, "\"\(word)\" has the name or the ports of another node, \(other.id)",
                fix: "give each node a name and three ports of its own: n1=db1:7001,n2=db1:7011")
        }
    }

    private func overlaps(_ other: SetupNode) -> Bool {
        machine == other.machine && abs(port - other.port) < 3
    }

    /// The host, by one spelling for this machine.
    private var machine: String { Self.machine(host) }

    private static func machine(_ host: String) -> String {
        host == "localhost" ? "127.0.0.1" : host.lowercased()
    }

    private static func checkLoopback(_ nodes: [SetupNode]) throws(CommandError) {
        guard let local = nodes.first(where: \.isLoopback), !nodes.allSatisfy(\.isLoopback) else {
            return
        }
        throw CommandError(
            .usage, "other hosts cannot reach \(local.id) at \(local.host)",
            fix: "write a name or an address of this machine by which the others reach it")
    }

    var isLoopback: Bool { NodeConfiguration.isLoopback(host) }

    /// The host without brackets, as in certificates.
    var bareHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }
}
