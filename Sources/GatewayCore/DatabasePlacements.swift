internal import DataTree
internal import HTTPText
internal import JSONText
internal import SyncProtocol

// The answers of the gateway about the placement of databases.

extension Answer {
    /// The placement of a database as this node knows it: `{name, epoch, nodes, moving?, isCopied, rival?, members, evicted?}`,
    /// without `nodes` and with the epoch 0 for a database on all nodes. `rival` is another placement of the same epoch, and
    /// `members` are all nodes of the cluster.
    init(placementOf name: DatabaseName, in databases: borrowing DatabaseResolution) {
        var value = Value.object(named: [("epoch", .integer(0))])
        if let (placement, isCopied) = databases.placements[name] {
            value = placement.value
            value.set(.boolean(isCopied), at: Path([Key(unchecked: "isCopied")]))
        }
        value.set(.string(name.text), at: Path([Key(unchecked: "name")]))
        let rival = databases.rivals[name]?.value ?? .null
        for (key, part) in [
            ("rival", rival), ("members", Self.names(databases.members)),
            ("evicted", Self.names(databases.evicted)),
        ] {
            value.set(part, at: Path([Key(unchecked: key)]))
        }
        self.init(AnswerText(value), type: "application/json; charset=utf-8")
    }
}

extension Answer {
    private static func names(_ names: [String]) -> Value {
        .object(named: names.map { ($0, .boolean(true)) })
    }
}

extension RequestHead {
    /// Whether it is a REST request for the catalog. Other protocols cannot use it.
    var isForCatalog: Bool {
        let path = target.pathText
        return databaseParameter == DatabaseName.catalog.text
            && (path.hasSuffix(".json") || path == "/status")
    }
}
