extension NodeStatus {
    /// The rules that a node enforces.
    public struct Rules: Equatable, Sendable {
        /// Names the document: its data hash as a string.
        public var digest = ""
        /// When a node accepted them, since 1970.
        public var acceptedMilliseconds = 0
        /// Whether this node judges its clients by them: it understands the document, and knows secrets or tokens, without which
        /// each client is an administrator.
        public var isEnforced = false
        /// The members that are not evicted, and whether each has the rules, as far as this node knows: on their disks, and
        /// this node itself if it understands them.
        public var members: [String: Bool] = [:]

        /// The members without the rules, ascending.
        public var membersWithout: [String] { members.filter { !$0.value }.map(\.key).sorted() }

        /// Rules of which nothing is known yet.
        public init() {}
    }
}
