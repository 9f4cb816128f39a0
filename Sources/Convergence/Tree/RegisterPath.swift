package import DataTree
package import SyncProtocol

/// The registers on the way to a location: they decide what a late operation may still change there.
package struct RegisterPath {
    /// A stamp that is remembered at a location on the way.
    package struct Entry: Equatable {
        /// The location of the register.
        package let location: Path
        /// The kind of write that left it.
        package let name: String
        /// The stamp.
        package let stamp: Stamp
    }

    /// From the root down; the last location is the one in question.
    package private(set) var entries: [Entry] = []

    /// The way to a location through the registers of a tree.
    package init(to path: Path, through registers: Registers) {
        var current: Registers? = registers
        for depth in 0...path.count {
            guard let here = current else { break }
            let location = Path(Array(path.keys.prefix(depth)))
            // A write below a location above the one in question says nothing about the latter.
            let below = depth < path.count ? [] : [("write below", here.descendantWrite)]
            for (name, stamp) in here.named + below where stamp != .none {
                entries.append(Entry(location: location, name: name, stamp: stamp))
            }
            if depth < path.count { current = here.children[path.keys[depth]] }
        }
    }

    /// The register with the latest stamp.
    package var deciding: Entry? { entries.max { $0.stamp < $1.stamp } }
}

extension Registers {
    /// The stamps of one location, with the kinds of writes that left them.
    fileprivate var named: [(String, Stamp)] {
        let sums = terms.last.map { [("sum of \(terms.count) terms, the last", $0.stamp)] } ?? []
        return [("write", write), ("increment", increment)] + sums
            + clears.map { ("update with increments", $0.stamp) }
    }
}
