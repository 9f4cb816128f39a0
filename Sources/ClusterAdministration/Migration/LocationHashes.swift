package import DataTree
internal import TLS

/// The hashes of both sides of a migration, by location.
///
/// The hash of a location is a chain of SHA-256 over its children in key order, each with the path and the Firebase hash
/// of its value. It does not depend on the pages in which the children are read.
package struct LocationHashes: Sendable {
    /// One line of the comparison.
    package struct Row: Equatable, Sendable {
        /// The location; nil for the children beyond the limit.
        package let key: Key?
        package var source = Chain()
        package var target = Chain()

        package var areEqual: Bool { source == target }
    }

    /// A hash over values in order.
    package struct Chain: Equatable, Sendable {
        /// The primitives in the values, without priorities.
        package private(set) var count = 0
        private var hash: [UInt8] = []

        /// The first digits of the hash.
        package var text: String { hash.isEmpty ? "none" : SHA256.text(of: Array(hash.prefix(8))) }

        mutating func add(_ value: Value, at path: Path) {
            if path.last != .priority { count += value.primitiveCount }
            hash = SHA256.hash(of: hash + Array("\(path):\(DataHash(of: value).text)".utf8))
        }
    }

    /// More children of the migrated location share one row.
    private static let limit = 100

    private let base: Path
    package private(set) var rows: [Row] = []

    init(below base: Path) { self.base = base }

    package var areEqual: Bool { rows.allSatisfy(\.areEqual) }

    /// The primitives of the source.
    package var count: Int { rows.reduce(0) { $0 + $1.source.count } }

    /// Adds the values of both sides at a location; null adds nothing.
    mutating func add(source: Value, target: Value, at path: Path) {
        let index = indexOfRow(for: path)
        if !source.isNull { rows[index].source.add(source, at: path) }
        if !target.isNull { rows[index].target.add(target, at: path) }
    }

    /// The row of a location. The locations come in order, so that it is one of the last two.
    private mutating func indexOfRow(for path: Path) -> Int {
        let key = path.count > base.count ? path.keys[base.count] : nil
        if let last = rows.indices.last {
            if rows[last].key == key { return last }
            if rows.count > LocationHashes.limit { return last }
        }
        let isFull = rows.count == LocationHashes.limit
        rows.append(Row(key: isFull ? nil : key))
        return rows.count - 1
    }
}

extension Value {
    /// The primitives in the value, without priorities.
    ///
    /// - Complexity: O(size).
    var primitiveCount: Int {
        switch content {
        case .null: 0
        case .object(let children): children.reduce(0) { $0 + $1.value.primitiveCount }
        default: 1
        }
    }
}
