public import DataTree

/// One operation in the words of a file of cases: `write /users/ada {name: 7} as {uid: "ada"}`, or `read /games query {limitToFirst: 10}`.
public struct RuleStatement: Sendable {
    /// The operation to judge.
    public let operation: RuleOperation
    /// The user, the time, and the trees before and after.
    public let situation: RuleSituation

    /// Reads an operation on a tree, at a time in milliseconds since 1970.
    ///
    /// - Throws: what is wrong with the text.
    public init(_ text: String, on data: Value, at now: Double) throws(RuleTestError) {
        var parser = RuleTestParser(Array(text.utf8), data: data, now: now)
        self = try parser.parseStatement()
    }

    init(_ operation: RuleOperation, in situation: RuleSituation) {
        (self.operation, self.situation) = (operation, situation)
    }
}
