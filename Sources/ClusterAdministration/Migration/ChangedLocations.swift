internal import DataTree

/// The locations of a source that have changed since they were read.
struct ChangedLocations: Sendable {
    /// More locations than this count as a change of everything.
    static let limit = 20_000

    private var paths: Set<Path> = []
    /// Whether any location may have changed.
    private(set) var isEverything = false

    var isEmpty: Bool { paths.isEmpty && !isEverything }

    /// Adds a location, unless it or a location above it is there.
    mutating func insert(_ path: Path) {
        if isEverything { return }
        let isCovered = (0...path.count).contains { count in
            paths.contains(Path(Array(path.keys.prefix(count))))
        }
        if isCovered { return }
        paths.insert(path)
        if paths.count > ChangedLocations.limit { insertEverything() }
    }

    /// Records that changes may have been missed.
    mutating func insertEverything() {
        isEverything = true
        paths = []
    }

    /// Removes all locations, and returns them in order; none contains another.
    mutating func removeAll() -> [Path] {
        var disjoint: [Path] = []
        for path in paths.sorted() {
            if let last = disjoint.last, last.contains(path) { continue }
            disjoint.append(path)
        }
        self = ChangedLocations()
        return disjoint
    }
}
