public import DataTree

/// The nodes that hold a database, as the catalog has it at `/databases/NAME/placement` (see `PlacementEntry`):
/// `{epoch, nodes: {NODE: SINCE, …}, moving?: {from: {NODE: true, …}, to: {NODE: true, …}}}`. SINCE is the epoch since which
/// the node holds the database, or `true` for one that held it before the first placement.
///
/// While a database moves, the nodes of both placements hold it, and none serves clients. So no write is made in an epoch in
/// which nodes are added or left out.
public struct DatabasePlacement: Equatable, Sendable {
    /// A move from some nodes to others.
    public struct Move: Equatable, Sendable {
        /// The names of the nodes that served clients before, ascending.
        public let from: [String]
        /// The names of the nodes that serve clients afterwards, ascending.
        public let to: [String]
    }

    /// The epoch of a database that is created with a placement.
    public static let firstEpoch: UInt32 = 1

    /// The number of the placement: of two, the one with the greater number holds. Databases without a placement have 0.
    public let epoch: UInt32
    /// The names of the nodes, ascending.
    public let nodes: [String]
    /// Set while the database moves.
    public let move: Move?
    /// The epochs since which nodes hold the database without interruption, except 0.
    private let since: [String: UInt32]

    /// A placement.
    ///
    /// - Parameter since: The epochs since which nodes hold the database; 0 for a node without one.
    public init(epoch: UInt32, nodes: [String], since: [String: UInt32] = [:]) {
        (self.epoch, self.nodes, move) = (epoch, nodes.sorted(), nil)
        self.since = since.filter { $0.value > 0 && nodes.contains($0.key) }
    }

    /// The placement of a database while it moves.
    ///
    /// - Parameter since: The epochs since which nodes hold the database; 0 for a node without one.
    public init(
        epoch: UInt32, movingFrom from: [String], to: [String], since: [String: UInt32] = [:]
    ) {
        self.epoch = epoch
        let nodes = Set(from).union(to)
        self.nodes = nodes.sorted()
        move = Move(from: from.sorted(), to: to.sorted())
        self.since = since.filter { $0.value > 0 && nodes.contains($0.key) }
    }

    /// The first placement of a database that is created with one.
    public init(creatingOn nodes: [String]) {
        var since: [String: UInt32] = [:]
        for node in nodes { since[node] = Self.firstEpoch }
        self.init(epoch: Self.firstEpoch, nodes: nodes, since: since)
    }

    /// Whether the database moves.
    public var isMoving: Bool { move != nil }

    /// Whether another placement was decided for the same epoch.
    public func contradicts(_ other: DatabasePlacement) -> Bool {
        epoch == other.epoch && self != other
    }

    /// The epoch since which a node holds the database without interruption. Files that the node used last in an earlier epoch
    /// do not belong to the database of this placement.
    public func since(of node: String) -> UInt32 { since[node] ?? 0 }
}

// MARK: - The next placement

extension DatabasePlacement {
    /// The placement with which a move begins.
    ///
    /// - Parameters:
    ///   - placement: The one of before; nil if all nodes held the database.
    ///   - from: Those of its nodes that take part.
    static func moving(
        _ placement: DatabasePlacement?, from: [String], to: [String], in epoch: UInt32
    ) -> DatabasePlacement {
        var since = placement?.since ?? [:]
        let holders = placement?.nodes ?? from
        for node in to where !holders.contains(node) { since[node] = epoch }
        return DatabasePlacement(epoch: epoch, movingFrom: from, to: to, since: since)
    }

    /// The placement that ends a move: on the nodes to which the database moves, or on those of before.
    func ended(on nodes: [String]) -> DatabasePlacement {
        DatabasePlacement(epoch: epoch + 1, nodes: nodes, since: since)
    }

    /// The placement that prefers this one over another one of the same epoch. Nodes of both have files of either, and get
    /// the data from the others, if there are others.
    func preferred(over rival: DatabasePlacement) -> DatabasePlacement {
        let (from, to) = (move?.from ?? nodes, move?.to ?? nodes)
        var since = since
        let sure = from.filter { !rival.nodes.contains($0) }
        if !sure.isEmpty {
            for node in nodes where rival.nodes.contains(node) { since[node] = epoch + 1 }
        }
        return DatabasePlacement(epoch: epoch + 1, movingFrom: from, to: to, since: since)
    }
}

// MARK: - In the catalog

extension DatabasePlacement {
    /// Reads a placement of the catalog; nil if the value is none.
    public init?(_ value: Value) {
        guard case .integer(let number)? = value[Key(unchecked: "epoch")].number,
            let epoch = UInt32(exactly: number), epoch > 0
        else { return nil }
        let nodesValue = value[Key(unchecked: "nodes")]
        let (nodes, since) = (Self.names(in: nodesValue), Self.epochs(in: nodesValue))
        let moving = value[Key(unchecked: "moving")]
        guard !moving.isNull else {
            if nodes.isEmpty { return nil }
            self.init(epoch: epoch, nodes: nodes, since: since)
            return
        }
        let from = Self.names(in: moving[Key(unchecked: "from")])
        let to = Self.names(in: moving[Key(unchecked: "to")])
        self.init(epoch: epoch, movingFrom: from, to: to, since: since)
        guard self.nodes == nodes, !from.isEmpty, !to.isEmpty else { return nil }
    }

    /// The placement as the catalog has it.
    public var value: Value {
        let moving = move.map {
            Value.object(named: [("from", Self.value(of: $0.from)), ("to", Self.value(of: $0.to))])
        }
        let nodes = nodes.map { node in
            (node, since[node].map { Value.integer(Int64($0)) } ?? .boolean(true))
        }
        return .object(named: [
            ("epoch", .integer(Int64(epoch))), ("nodes", .object(named: nodes)),
            ("moving", moving ?? .null),
        ])
    }

    private static func epochs(in value: Value) -> [String: UInt32] {
        var epochs: [String: UInt32] = [:]
        for (key, epoch) in value.children {
            if case .integer(let number)? = epoch.number {
                epochs[key.text] = UInt32(clamping: number)
            }
        }
        return epochs
    }

    private static func names(in value: Value) -> [String] {
        value.children.map(\.key.text).sorted()
    }

    private static func value(of names: [String]) -> Value {
        .object(named: names.map { ($0, .boolean(true)) })
    }
}
