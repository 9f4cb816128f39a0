public import DataTree

/// The nodes that hold a database, as the catalog has it at `/databases/NAME/placement` (see `PlacementEntry`):
/// `{epoch, nodes: {NODE: true, …}, moving?: {from: {NODE: true, …}, to: {NODE: true, …}}}`.
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

    /// A placement.
    public init(epoch: UInt32, nodes: [String]) {
        (self.epoch, self.nodes, move) = (epoch, nodes.sorted(), nil)
    }

    /// The placement of a database while it moves.
    public init(epoch: UInt32, movingFrom from: [String], to: [String]) {
        self.epoch = epoch
        nodes = Set(from).union(to).sorted()
        move = Move(from: from.sorted(), to: to.sorted())
    }

    /// Whether the database moves.
    public var isMoving: Bool { move != nil }
}

// MARK: - In the catalog

extension DatabasePlacement {
    /// Reads a placement of the catalog; nil if the value is none.
    public init?(_ value: Value) {
        guard case .integer(let number)? = value[Key(unchecked: "epoch")].number,
            let epoch = UInt32(exactly: number), epoch > 0
        else { return nil }
        let nodes = Self.names(in: value[Key(unchecked: "nodes")])
        let moving = value[Key(unchecked: "moving")]
        guard !moving.isNull else {
            if nodes.isEmpty { return nil }
            self.init(epoch: epoch, nodes: nodes)
            return
        }
        let from = Self.names(in: moving[Key(unchecked: "from")])
        let to = Self.names(in: moving[Key(unchecked: "to")])
        self.init(epoch: epoch, movingFrom: from, to: to)
        guard self.nodes == nodes, !from.isEmpty, !to.isEmpty else { return nil }
    }

    /// The placement as the catalog has it.
    public var value: Value {
        let moving = move.map {
            Value.object(named: [("from", Self.value(of: $0.from)), ("to", Self.value(of: $0.to))])
        }
        return .object(named: [
            ("epoch", .integer(Int64(epoch))), ("nodes", Self.value(of: nodes)),
            ("moving", moving ?? .null),
        ])
    }

    private static func names(in value: Value) -> [String] {
        value.children.map(\.key.text).sorted()
    }

    private static func value(of names: [String]) -> Value {
        .object(named: names.map { ($0, .boolean(true)) })
    }
}
