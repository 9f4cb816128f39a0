package import DataTree

// The rules that reading a frame enforces, for requests that were made of values.

extension Path {
    /// Why requests cannot name this path as a location; a path that ends in `.priority` has nothing below it.
    var failureAsLocation: DataError? {
        guard last == .priority else { return nil }
        return DataError(
            problem: "\(self) is not the path of a location",
            fix: "name the location whose priority it is")
    }
}

extension [Write] {
    /// Why a merge at a path cannot have these writes, whose paths are relative to it.
    func failure(inMergeAt path: Path) -> DataError? {
        path.failureAsLocation ?? Write.failure(inMerge: self, at: path)
    }

    /// These writes, whose paths are relative to `path`.
    package func below(_ path: Path) -> [Write] {
        map { Write(path: path.appending($0.path), value: $0.value) }
    }

    /// The locations of these writes, whose paths are relative to `path`; of many writes the one that contains them,
    /// because each location is compared with all others.
    func locations(below path: Path) -> [Path] {
        count > 100 ? [path] : map { path.appending($0.path) }
    }
}
