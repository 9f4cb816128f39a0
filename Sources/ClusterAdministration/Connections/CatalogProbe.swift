internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import Sockets
internal import SyncProtocol

// The catalog of a cluster, which says which nodes hold a database.

extension DatabaseProbe {
    /// A placement in the catalog, and the entity tag by which it can be replaced.
    struct Entry {
        /// Nil if all nodes hold the database.
        let placement: DatabasePlacement?
        let tag: String
    }

    /// The knowledge of a node of the placement of a database.
    struct Knowledge {
        let epoch: UInt32
        /// Whether the node knows that all nodes of this epoch hold the same operations.
        let isCopied: Bool
    }

    /// Reads the placement of a database from the catalog.
    func entry(
        of name: DatabaseName, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> Entry {
        let request = ShortRequest("GET", Self.target(of: name)).askingForTag()
        let answer = try send(request, to: address, within: limit)
        let value = try value(of: answer, from: address)
        guard !value.isNull else { return Entry(placement: nil, tag: answer.tag) }
        guard let placement = DatabasePlacement(value) else {
            throw CommandError(
                .badData, "the catalog has no valid placement of the database \(name)",
                fix: "look at /databases/\(name) with ns=\(DatabaseName.catalog), and correct it")
        }
        return Entry(placement: placement, tag: answer.tag)
    }

    /// Replaces the placement of a database; returns false if it is not the one of the tag any longer.
    func replace(
        placementOf name: DatabaseName, by placement: DatabasePlacement, if tag: String,
        at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> Bool {
        let text = JSONWriter.text(of: placement.value)
        let request = ShortRequest("PUT", Self.target(of: name), body: text).onlyIf(tag)
        return try send(request, to: address, within: limit).status != 412
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
        return Knowledge(
            epoch: UInt32(clamping: epoch),
            isCopied: value[Key(unchecked: "isCopied")] == .boolean(true))
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
