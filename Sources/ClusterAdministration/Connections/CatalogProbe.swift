internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import Sockets
internal import SyncProtocol

// The catalog of a cluster, which says which nodes hold a database.

extension DatabaseProbe {
    /// An entry of the catalog, and the entity tag by which it can be replaced.
    typealias TaggedEntry = (entry: PlacementEntry, tag: String)

    /// The knowledge of a node of the placement of a database.
    struct Knowledge {
        let epoch: UInt32
        /// Whether the node knows that all nodes of this epoch hold the same operations.
        let isCopied: Bool
        /// The placement, and another one of the same epoch; none if all nodes hold the database.
        var placements: [DatabasePlacement] = []
        /// The nodes of the cluster; none from a node that does not serve yet.
        var members: [String] = []
        /// Those of them that are evicted.
        var evicted: [String] = []
    }

    /// Reads the entry of a database from the catalog.
    func entry(
        of name: DatabaseName, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> TaggedEntry {
        let request = ShortRequest("GET", Self.target(of: name)).askingForTag()
        let answer = try send(request, to: address, within: limit)
        let value = try value(of: answer, from: address)
        guard let entry = PlacementEntry(value) else {
            throw CommandError(
                .badData, "the catalog has no valid placement of the database \(name)",
                fix: "look at /databases/\(name) with ns=\(DatabaseName.catalog), and correct it")
        }
        return (entry, answer.tag)
    }

    /// Replaces the entry of a database; returns the tag of the new one, or nil if the old one is not that of the tag any longer.
    func replace(
        entryOf name: DatabaseName, by entry: PlacementEntry, if tag: String,
        at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> String? {
        let text = JSONWriter.text(of: entry.value)
        let request = ShortRequest("PUT", Self.target(of: name), body: text).onlyIf(tag)
        let answer = try send(request, to: address, within: limit)
        return answer.status == 412 ? nil : answer.tag
    }

    /// Reads the knowledge of a node of the placement of a database.
    func knowledge(
        of name: DatabaseName, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> Knowledge {
        let request = ShortRequest("GET", "/.settings/databases/\(name).json")
        let answer = try send(request, to: address, within: limit)
        let value = try value(of: answer, from: address)
        guard case .integer(let epoch)? = value[Key(unchecked: "epoch")].number else {
            throw Self.unreadable(address)
        }
        func names(_ name: String) -> [String] {
            value[Key(unchecked: name)].children.map(\.key.text).sorted()
        }
        let placements = [value, value[Key(unchecked: "rival")]].compactMap(DatabasePlacement.init)
        return Knowledge(
            epoch: UInt32(clamping: epoch),
            isCopied: value[Key(unchecked: "isCopied")] == .boolean(true), placements: placements,
            members: names("members"), evicted: names("evicted"))
    }

    private static func target(of name: DatabaseName) -> String {
        "/databases/\(name)/placement.json?ns=\(DatabaseName.catalog)"
    }

    private func value(
        of answer: ShortRequest.Answer, from address: HTTPAddress
    ) throws(CommandError) -> Value {
        let text = String(decoding: answer.body, as: UTF8.self)
        guard let value = try? JSONReader().parse(text) else { throw Self.unreadable(address) }
        return value
    }
}
