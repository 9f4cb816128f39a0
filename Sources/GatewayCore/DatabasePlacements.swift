internal import DataTree
internal import HTTPText
internal import JSONText
internal import SyncProtocol

// The answers of the gateway about the placement of databases.

extension Answer {
    /// The placement of a database as this node knows it: `{name, epoch, nodes, moving?, isCopied}`, or `{name, epoch: 0}` for a
    /// database on all nodes.
    init(placementOf name: DatabaseName, in databases: borrowing DatabaseResolution) {
        var value = Value.object(named: [("epoch", .integer(0))])
        if let (placement, isCopied) = databases.placements[name] {
            value = placement.value
            value.set(.boolean(isCopied), at: Path([Key(unchecked: "isCopied")]))
        }
        value.set(.string(name.text), at: Path([Key(unchecked: "name")]))
        self.init(AnswerText(value), type: "application/json; charset=utf-8")
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
