internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import QueryEngine
internal import SyncProtocol

/// Reads a value of any size by requests whose answers are small: one large answer occupies its node and its connection for long.
///
/// A listing shows the children of a location. Those that may be large are read by themselves; the others are read by ranges of keys,
/// which grow until an answer has some 256 kB. A write that comes in between may show in part.
struct PieceReader {
    enum Request {
        case listing(Path, from: Key?)
        case value(Path, Query)
    }

    enum Answer {
        case listing(ChildListing)
        case value(Value)
    }

    /// The most children of one listing.
    static let listingLimit = 1_000
    /// Roughly the bytes of one answer.
    private static let pieceBytes = 256 << 10
    /// An object with more children than this may be large.
    private static let fewChildren = 64
    /// The locations that are still read child by child: a tree of many small objects would take a request for each.
    private var splitsLeft = 1_000
    /// The children of the next range.
    private var rangeCount = 1

    private let ask: (Request) throws(CommandError) -> Answer

    init(asking ask: @escaping (Request) throws(CommandError) -> Answer) { self.ask = ask }

    /// Returns the value at a path, with priorities.
    mutating func value(at path: Path) throws(CommandError) -> Value {
        var listing = try listing(of: path, from: nil)
        let isSmall = listing.count <= PieceReader.fewChildren && listing.next == nil
        if isSmall, !listing.entries.contains(where: \.isObject) { return try whole(path) }
        splitsLeft -= 1
        var children = Children()
        while true {
            try read(listing.entries, of: path, splittingAll: isSmall, into: &children)
            guard let next = listing.next else { break }
            listing = try self.listing(of: path, from: next)
        }
        var value = Value(children)
        let priority = try whole(path.appending(.priority))
        if !priority.isNull, !value.isNull { value.set(priority, at: Path([.priority])) }
        return value
    }

    /// Reads the children of a listing: those that may be large by themselves, the others by ranges.
    private mutating func read(
        _ entries: [ChildListing.Entry], of path: Path, splittingAll: Bool,
        into children: inout Children
    ) throws(CommandError) {
        var range: [Key] = []
        for entry in entries {
            if splitsLeft > 0, entry.isObject(beyond: splittingAll ? 0 : PieceReader.fewChildren) {
                try read(&range, of: path, into: &children)
                let child = try value(at: path.appending(entry.key))
                if !child.isNull { children[entry.key] = child }
            } else {
                range.append(entry.key)
                if range.count >= rangeCount { try read(&range, of: path, into: &children) }
            }
        }
        try read(&range, of: path, into: &children)
    }

    /// Reads a range of children, and empties it.
    private mutating func read(
        _ range: inout [Key], of path: Path, into children: inout Children
    ) throws(CommandError) {
        guard let first = range.first, let last = range.last else { return }
        let part = try whole(path, PieceReader.query(from: first, to: last)).children
        for (key, child) in part { children[key] = child }
        let size = Value(part).size
        if size > PieceReader.pieceBytes {
            rangeCount = max(1, rangeCount / 2)
        } else if size < PieceReader.pieceBytes / 2, range.count == rangeCount {
            rangeCount = min(PieceReader.listingLimit, rangeCount * 2)
        }
        range = []
    }

    private func listing(
        of path: Path, from start: Key?
    ) throws(CommandError) -> ChildListing {
        guard case .listing(let listing) = try ask(.listing(path, from: start)) else {
            return ChildListing(of: .null)
        }
        return listing
    }

    private func whole(_ path: Path, _ query: Query = Query()) throws(CommandError) -> Value {
        guard case .value(let value) = try ask(.value(path, query)) else { return .null }
        return value
    }

    private static func query(from first: Key, to last: Key) throws(CommandError) -> Query {
        do throws(DataError) {
            return try Query().orderedByKey().starting(at: .string(first.text))
                .ending(at: .string(last.text))
        } catch {
            throw CommandError(error)
        }
    }
}

extension ChildListing.Entry {
    fileprivate var isObject: Bool { isObject(beyond: 0) }

    /// Whether it is an object with more children than this.
    fileprivate func isObject(beyond limit: Int) -> Bool {
        if case .object(let count) = child { count > limit } else { false }
    }
}

extension NodeClient {
    /// Asks a node for a piece of a value.
    func answer(_ request: PieceReader.Request) throws(CommandError) -> PieceReader.Answer {
        switch request {
        case .listing(let path, let start):
            .listing(try children(of: path, from: start, limit: PieceReader.listingLimit))
        case .value(let path, let query): .value(try get(path, query))
        }
    }
}
