public import DataTree

extension Write {
    /// Says which two of the writes of one operation contradict each other, or nil.
    ///
    /// None may lie at or below another's path, because they take effect together, in no order.
    /// Source: `firebase-semantics.md`, rule U2, with Firebase's words.
    ///
    /// - Complexity: O(n log n).
    public static func conflict(in writes: [Write]) -> DataError? {
        guard writes.count > 1 else { return nil }
        // Sorted, as most are, an ancestor comes right before the first path that it contains.
        var paths = writes.map(\.path)
        if !zip(paths, paths.dropFirst()).allSatisfy(<) { paths.sort() }
        for (upper, lower) in zip(paths, paths.dropFirst()) where upper.contains(lower) {
            return DataError(
                problem: upper == lower
                    ? "the update contains the path \(upper) twice"
                    : "the update contains a path \(upper) that is ancestor of another path \(lower)",
                fix: "write each location once: omit one of the two")
        }
        return nil
    }

    /// Says what is wrong with the writes of a merge at `path`, whose own paths are relative to it,
    /// or nil.
    public static func failure(inMerge writes: [Write], at path: Path) -> DataError? {
        for write in writes {
            if write.path.isRoot {
                return DataError(
                    problem: "the update at \(path) contains an empty path",
                    fix: "name children to replace, or put the value at \(path) itself")
            }
            if let failure = path.appending(write.path).limitExceeded {
                return DataError(
                    problem: "invalid path \(path.appending(write.path)): \(failure)",
                    fix: "write to a shorter path")
            }
            if let failure = write.failureInPriority { return failure }
        }
        return conflict(in: writes)
    }

    /// Says why the value cannot be the priority that the path names, or nil.
    var failureInPriority: DataError? {
        guard path.last == .priority else { return nil }
        do throws(DataError) {
            _ = try ObjectBuilder.checked(priority: value)
            return nil
        } catch {
            return error
        }
    }

    /// Checks a write that a program has made itself, as a node does when it decodes one.
    ///
    /// - Throws: `DataError`, naming the offending location.
    /// - Complexity: O(size).
    package func validate() throws(DataError) {
        if let failure = failureInPriority { throw failure }
        try value.validateForm(at: path)
        try value.validate(at: path)
    }
}
