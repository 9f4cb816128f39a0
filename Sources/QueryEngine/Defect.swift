/// A typical mistake, planted in a view by a test to see that it is found.
enum Defect: CaseIterable {
    /// A full window lets a child in and keeps the one that it should push out.
    case keepsPushedOut
    /// Nobody follows a child that leaves a full window.
    case noSuccessor
    /// A child that follows may lie outside the range.
    case successorOutsideRange
    /// The child before may be one that the window does not show.
    case previousOutsideWindow
    /// A child is said to have moved when only something else in it changed.
    case movedWheneverChanged
    case changedBeforeMoved
    case newSnapshotOfRemoved
    case noChangeIsChange
    /// A value event also for what the window does not show.
    case valueForAnything
    /// Events of one kind in key order.
    case eventsByKey
}
