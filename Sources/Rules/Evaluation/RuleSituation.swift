public import DataTree

/// What rules are judged by besides the path: who asks, when, and the tree before and after.
///
/// Both trees are whole; only the path and what is written are walked.
public struct RuleSituation: Sendable {
    /// What is known of the user; null for one that is not signed in.
    public var auth: Claim
    /// The time of the operation, in milliseconds since 1970; its server timestamps have the same.
    public var now: Double
    /// The tree before the operation.
    public var before: Value
    /// The tree that the operation would make, its server values resolved; the same for a read.
    public var after: Value
    /// What a read asks of the children.
    public var query: QueryShape

    /// Describes a read.
    public init(auth: Claim, now: Double, data: Value, query: QueryShape = QueryShape()) {
        self.init(auth: auth, now: now, before: data, after: data, query: query)
    }

    /// Describes a write.
    public init(auth: Claim, now: Double, before: Value, after: Value) {
        self.init(auth: auth, now: now, before: before, after: after, query: QueryShape())
    }

    private init(auth: Claim, now: Double, before: Value, after: Value, query: QueryShape) {
        (self.auth, self.now, self.query) = (auth, now, query)
        (self.before, self.after) = (before, after)
    }
}
