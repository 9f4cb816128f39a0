import DataTree

/// The data that a client's program shows of one location.
struct ObservedListener {
    var path: Path
    var node: Int?
    /// Nil before anything was shown.
    var shown: Value?
    /// The first error.
    var failure: String?
    /// The data that it has to show of its node's tree.
    var expected: (Value) -> Value
}

extension ObservedListener {
    init(_ stream: EventStream, at node: Int?) {
        let first = stream.tally.failures.min { $0.key.name < $1.key.name }
        self.init(
            path: stream.path, node: node, shown: stream.shown,
            failure: first.map { "\($0.key.name), \($0.value)" }, expected: stream.expected)
    }
}
