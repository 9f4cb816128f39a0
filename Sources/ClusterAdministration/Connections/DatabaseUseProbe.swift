package import CommandLineKit
package import DataTree
internal import JSONText
package import Sockets
package import SyncProtocol

/// A database in the list of a node.
package struct ListedDatabase: Equatable, Sendable {
    /// The name.
    package let name: DatabaseName
    /// The entry of the list, as the node reports it.
    package let entry: Value

    /// Reads an entry; nil without a valid name.
    package init?(_ entry: Value) {
        guard case .string(let text) = entry[Key(unchecked: "name")], let name = DatabaseName(text)
        else { return nil }
        (self.name, self.entry) = (name, entry)
    }

    /// The state; nil from a node of an earlier version.
    package var state: String? {
        if case .string(let text) = entry[Key(unchecked: "state")] { text } else { nil }
    }

    /// A number of the entry; nil if the node does not know it.
    package func number(_ name: String) -> Int? {
        if case .integer(let number) = entry[Key(unchecked: name)] { Int(number) } else { nil }
    }

    /// The bytes of its data; nil if the node does not know them.
    package var dataBytes: Int? { number("dataBytes") }

    /// Whether that is no exact size: the node still counts, or it is that of a file.
    package var isEstimate: Bool { entry[Key(unchecked: "isEstimate")] == .boolean(true) }

    /// The nodes that hold the database; nil if all nodes do.
    package var placement: DatabasePlacement? { DatabasePlacement(entry) }

    /// Another placement of the same epoch, if there is one: then no node serves the database.
    package var rival: DatabasePlacement? { DatabasePlacement(entry[Key(unchecked: "rival")]) }

    /// The files of the database that the node keeps aside.
    package var kept: [String] { entry[Key(unchecked: "kept")].children.map(\.key.text).sorted() }

    /// The limits that hold for the database.
    package var limits: DatabaseLimits {
        (try? DatabaseLimits(entry[Key(unchecked: "limits")])) ?? DatabaseLimits()
    }
}

extension DatabaseProbe {
    /// The databases of the cluster with their use at a node, the default one first.
    package func databases(
        at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> [ListedDatabase] {
        let request = ShortRequest("GET", "/.inspect/databases.json")
        let answer = try send(request, to: address, within: limit)
        guard let list = try? JSONReader().parse(String(decoding: answer.body, as: UTF8.self))
        else { throw Self.unreadable(address) }
        let databases = list.children.compactMap { ListedDatabase($0.value) }
        return databases.filter(\.name.isDefault) + databases.filter { !$0.name.isDefault }
    }

    /// Changes limits of a database in the catalog; the others stay.
    package func change(
        limitsOf name: DatabaseName, to limits: DatabaseLimits, at address: HTTPAddress,
        within limit: Duration
    ) throws(CommandError) {
        let text = JSONWriter.text(of: limits.value)
        let request = ShortRequest("PATCH", Self.limitsTarget(of: name), body: text)
        _ = try send(request, to: address, within: limit)
    }

    /// Removes the limits of a database from the catalog.
    package func remove(
        limitsOf name: DatabaseName, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) {
        let request = ShortRequest("DELETE", Self.limitsTarget(of: name))
        _ = try send(request, to: address, within: limit)
    }

    private static func limitsTarget(of name: DatabaseName) -> String {
        "/databases/\(name)/limits.json?ns=_catalog"
    }
}
