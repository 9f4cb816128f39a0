package import DataTree

extension Registers {
    /// The locations strictly above a path that have no value in a tree, and would show a priority if they had one.
    ///
    /// - Parameter tree: The tree whose registers these are.
    /// - Complexity: O(depth).
    package func hiddenPriorities(above path: Path, in tree: Value) -> [Path] {
        var locations: [Path] = []
        var (value, registers) = (tree, self)
        for (depth, key) in path.keys.enumerated() {
            if value.isNull, registers.havePriority {
                locations.append(Path(Array(path.keys.prefix(depth))))
            }
            guard let below = registers.children[key] else { break }
            (value, registers) = (value[key], below)
        }
        return locations
    }

    /// Whether the location has a priority, which it shows while it has a value.
    private var havePriority: Bool { children[.priority].map { !$0.terms.isEmpty } ?? false }
}
