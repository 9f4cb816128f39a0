extension NodeStatus {
    /// The rules that a node enforces.
    public struct Rules: Equatable, Sendable {
        /// Names the document: its data hash as a string.
        public var digest = ""
        /// When a node accepted them, since 1970.
        public var acceptedMilliseconds = 0
        /// Whether this node understands them; otherwise it refuses everybody but administrators.
        public var isEnforced = false

        /// Rules of which nothing is known yet.
        public init() {}
    }
}
