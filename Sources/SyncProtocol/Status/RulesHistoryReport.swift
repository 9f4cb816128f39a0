public import DataTree

/// The answer to `rulesHistory`: the latest rules that arrived at a node, the newest first.
public struct RulesHistoryReport: Equatable, Sendable {
    /// Rules that the cluster has or had, or that lost against others at once.
    public struct Record: Equatable, Sendable {
        /// Names the document.
        public var digest = ""
        /// The digest of the rules that it replaced where it was accepted; empty for the first.
        public var previous = ""
        /// When it was accepted, in milliseconds since 1970.
        public var acceptedMilliseconds = 0
        /// The node that accepted it.
        public var node = ""
        /// Whether these rules count.
        public var isCurrent = false
        /// The document, as its author wrote it.
        public var source = ""

        /// A record of which nothing is known yet.
        public init() {}
    }

    /// The node that answers.
    public var node = ""
    /// The newest first.
    public var records: [Record] = []

    /// A report of nothing.
    public init() {}

    /// Reads a report.
    ///
    /// - Throws: if the value is none.
    public init(_ value: Value) throws(DataError) { try self.init(told: value, under: "") }

    /// The answer.
    public var value: Value { told }
}

extension RulesHistoryReport: StatusRecord {
    static var fields: [StatusField<RulesHistoryReport>] {
        [.init("node", \.node), .init("records", \.records)]
    }
}

extension RulesHistoryReport.Record: StatusRecord {
    static var fields: [StatusField<RulesHistoryReport.Record>] {
        [
            .init("digest", \.digest), .init("previous", \.previous),
            .init("acceptedMilliseconds", \.acceptedMilliseconds), .init("node", \.node),
            .init("isCurrent", \.isCurrent), .init("source", \.source),
        ]
    }
}
