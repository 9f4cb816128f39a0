#if HEARTH_MARKS
    internal import CMarks
#endif

/// Says that a rare path is reached. In a build without `HEARTH_MARKS` nothing is left of the call.
@inlinable @inline(__always) public func sometimes(_ mark: Mark) {
    #if HEARTH_MARKS
        reach(mark)
    #endif
}

#if HEARTH_MARKS
    /// Counts a mark where this thread counts them, if it does.
    @usableFromInline func reach(_ mark: Mark) {
        guard let counts = hearth_mark_counts() else { return }
        counts[mark.rawValue] &+= 1
    }
#endif
