public import DataTree

/// The answer to `coverage`: the values of each part of the node's rules during the checks of requests.
public struct CoverageReport: Equatable, Sendable {
    /// How often something was true, was false, failed.
    public struct Counts: Equatable, Sendable {
        public var isTrue = 0
        public var isFalse = 0
        public var fails = 0

        /// Nothing counted.
        public init() {}

        /// Whether it was never evaluated.
        public var isEmpty: Bool { isTrue + isFalse + fails == 0 }
    }

    /// A part of a rule that gives a boolean, and is no constant.
    public struct CountedPart: Equatable, Sendable {
        /// The part as it is written; of a long one the beginning.
        public var text = ""
        public var counts = Counts()
        /// The value that the part never had, in words; nil if it was both true and false.
        public var gap: String?

        /// A part of which nothing is known yet.
        public init() {}
    }

    /// A rule.
    public struct CountedRule: Equatable, Sendable {
        /// `.read`, `.write` or `.validate`.
        public var kind = ""
        /// Its location, with wildcards as they are written.
        public var location = ""
        /// The line of its expression in the document, from 1.
        public var line = 0
        public var column = 0
        /// Its expression as it is written.
        public var expression = ""
        /// The counts of the values of the whole rule.
        public var counts = Counts()
        /// The parts that decide something, the whole last.
        public var parts: [CountedPart] = []

        /// A rule of which nothing is known yet.
        public init() {}
    }

    /// The node that counted.
    public var node = ""
    /// Whether it goes on counting.
    public var isCounting = false
    /// Names the rules; empty if the node has none.
    public var digest = ""
    /// Since when this was counted, in milliseconds since 1970; nil if it was not.
    public var sinceMilliseconds: Int?
    /// How many operations of users were judged.
    public var judged = 0
    /// How many outcomes were seen, true and false of each part, and how many there are.
    public var outcomesSeen = 0
    public var outcomes = 0
    /// The rules, in the order of the document.
    public var rules: [CountedRule] = []
    /// How many parts are left out, the last ones of the document.
    public var omittedParts = 0

    /// A report of nothing.
    public init() {}

    /// Reads a report.
    ///
    /// - Throws: if the value is none.
    public init(_ value: Value) throws(DataError) { try self.init(told: value, under: "") }

    /// The answer.
    public var value: Value { told }
}

extension CoverageReport: StatusRecord {
    static var fields: [StatusField<CoverageReport>] {
        [
            .init("node", \.node), .init("isCounting", \.isCounting), .init("digest", \.digest),
            .init("sinceMilliseconds", \.sinceMilliseconds), .init("judged", \.judged),
            .init("outcomesSeen", \.outcomesSeen), .init("outcomes", \.outcomes),
            .init("rules", \.rules), .init("omittedParts", \.omittedParts),
        ]
    }
}

extension CoverageReport.CountedRule: StatusRecord {
    static var fields: [StatusField<CoverageReport.CountedRule>] {
        [
            .init("kind", \.kind), .init("location", \.location), .init("line", \.line),
            .init("column", \.column), .init("expression", \.expression),
            .init("true", \.counts.isTrue), .init("false", \.counts.isFalse),
            .init("error", \.counts.fails), .init("parts", \.parts),
        ]
    }
}

extension CoverageReport.CountedPart: StatusRecord {
    static var fields: [StatusField<CoverageReport.CountedPart>] {
        [
            .init("text", \.text), .init("true", \.counts.isTrue),
            .init("false", \.counts.isFalse), .init("error", \.counts.fails),
            .init("gap", \.gap),
        ]
    }
}
