internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import SyncProtocol

extension Verb {
    private static let json = Option(
        flag: "json", "One JSON object a line: key, and children (their number) or value.")
    private static let limit = Option(
        "limit", "N", "The maximum number of children; 1000 by default.")
    private static let start = Option(
        "start-at", "KEY", "Begin with this key, or the next one if it does not exist.")

    static let ls = Verb(
        "ls",
        "Lists the keys at a path in order, with their values or numbers of children. The "
            + "cost does not depend on the size of the children.",
        arguments: [
            Argument(
                DataArguments.path.name, DataArguments.path.explanation, arity: .optional,
                values: .path)
        ], options: [limit, start, json] + NodeClient.options,
        examples: [
            "hearth ls / --node n2",
            "hearth ls /rooms/lobby --limit 20 --start-at -Oe3",
            "hearth ls /rooms --json",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try path(of: invocation)
        let key = try invocation[start].map { text throws(CommandError) in try parseKey(text) }
        let wanted = try invocation.integer(limit, in: 1...Int(Int32.max)) ?? 1000
        let client = try NodeClient(for: invocation)
        let listing = try client.listing(of: path, from: key, limit: wanted)
        let lines = ListingLines(listing, asJSON: invocation.has(json))
        for line in lines.text { StandardOutput.shared.print(line) }
        StandardOutput.shared.flush()
        if listing.isEmpty { Terminal.standardError.print("nothing is at \(path)") }
        if let next = listing.next {
            Terminal.standardError.print(
                "\(listing.entries.count) of \(listing.count) children; "
                    + "the next ones with --start-at '\(next.text)', more at once with --limit")
        }
        return .success
    }

    /// The place that is listed: all of the tree if none is named.
    private static func path(of invocation: Invocation) throws(CommandError) -> Path {
        guard let text = invocation.words(of: DataArguments.path).first else { return .root }
        do throws(DataError) { return try Path(text) } catch { throw CommandError(error) }
    }

    private static func parseKey(_ text: String) throws(CommandError) -> Key {
        do throws(DataError) { return try Key(text) } catch { throw CommandError(error) }
    }
}

extension NodeClient {
    /// Up to `count` children from a key on, in as many listings as needed.
    ///
    /// Changes made meanwhile may show only in part.
    func listing(
        of path: Path, from start: Key? = nil, limit: Int = .max
    ) throws(CommandError) -> ChildListing {
        var listing = try children(of: path, from: start, limit: min(limit, Int(Int32.max)))
        while let next = listing.next, listing.entries.count < limit {
            let rest = min(limit - listing.entries.count, Int(Int32.max))
            listing.append(try children(of: path, from: next, limit: rest))
        }
        return listing
    }
}

/// A listing as lines, for people or as JSON.
struct ListingLines {
    private static let longestValue = 60

    let text: [String]

    init(_ listing: ChildListing, asJSON: Bool) {
        if !listing.leaf.isNull {
            let value = JSONWriter.text(of: listing.leaf)
            text = [asJSON ? "{\"value\":\(value)}" : value]
            return
        }
        let width = min(40, listing.entries.map(\.key.text.count).max() ?? 0)
        text = listing.entries.map { entry in
            asJSON ? ListingLines.json(entry) : ListingLines.plain(entry, width)
        }
    }

    private static func json(_ entry: ChildListing.Entry) -> String {
        let key = JSONWriter.text(of: .string(entry.key.text))
        return switch entry.child {
        case .leaf(let value): "{\"key\":\(key),\"value\":\(JSONWriter.text(of: value))}"
        case .object(let count): "{\"key\":\(key),\"children\":\(count)}"
        }
    }

    private static func plain(_ entry: ChildListing.Entry, _ width: Int) -> String {
        let key = entry.key.text.padded(to: width)
        switch entry.child {
        case .leaf(let value):
            let text = JSONWriter.text(of: value)
            let isShort = text.count <= longestValue
            return "\(key)  " + (isShort ? text : text.prefix(longestValue) + "…")
        case .object(1): return "\(key)  1 child"
        case .object(let count): return "\(key)  \(count) children"
        }
    }
}
