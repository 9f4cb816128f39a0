/// A row of `hearth bench stall`: the requests of a hostile client.
enum StallRow: String, CaseIterable {
    case orders
    case leave
    case patch
    case rules
    case windows
    case remove
    case read
    case order
    case listen
    case peerPorts = "peer-ports"
    case onDisconnect = "on-disconnect"
    case unread
    case ranges
    case conditions
    case mixed

    /// The description of the client, for the help.
    var summary: String {
        switch self {
        case .orders: "600 listens by orders without an index, at once"
        case .leave: "5,000 such listens, then the end of the connection"
        case .patch: "one update of 100,000 paths, then the removal of all"
        case .rules: "60 writes that a rule checks with an expensive regular expression"
        case .windows: "25,000 listens, each with a window of its own"
        case .remove: "the removal of the list"
        case .read: "one read of the list"
        case .order: "one query of the list by an order without an index"
        case .listen: "one listen of the list"
        case .peerPorts: "20,000 idle TCP connections to the ports for peers"
        case .onDisconnect: "0.9 MB of on-disconnect writes from each of 74 connections"
        case .unread: "50 reads of 10 MB from each of 300 connections that read no answers"
        case .ranges: "20 listens of the list with 10,000 wrong hashes of ranges each"
        case .conditions: "30 conditional writes of the list with the hash of another value"
        case .mixed: "such requests in random order from ten clients, for the time of --seconds"
        }
    }

    /// The list of names and summaries, a line each.
    static var help: String {
        allCases.map { "\($0.rawValue): \($0.summary)" }.joined(separator: "; ")
    }
}
