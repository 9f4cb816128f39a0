public import DataTree

/// The input of an evaluation besides the path: the user, the time, and the tree before and after.
///
/// Both trees are whole; only the path and what is written are walked.
public struct RuleSituation: Sendable {
    /// The effect of an operation.
    private enum Effect: Sendable {
        indirect case read(QueryShape)
        /// Makes a tree of the one before.
        case tree(Value)
        case write(RuleWrite)
        /// Writes one after the other, and the tree that they make where nothing is.
        case update([RuleWrite], alone: Value)
    }

    /// The identity of the user; null for a client that is not signed in.
    public var auth: Claim
    /// The time of the operation, in milliseconds since 1970; its server timestamps have the same.
    public var now: Double
    /// The tree before the operation.
    public var before: Value
    private var effect: Effect

    /// Describes a read.
    public init(auth: Claim, now: Double, data: Value, query: QueryShape = QueryShape()) {
        (self.auth, self.now) = (auth, now)
        (before, effect) = (data, .read(query))
    }

    /// Describes a write by the tree that it would make, its server values resolved.
    public init(auth: Claim, now: Double, before: Value, after: Value) {
        (self.auth, self.now) = (auth, now)
        (self.before, effect) = (before, .tree(after))
    }

    /// Describes a write by what it writes: the tree that it would make is made only for rules that look above that.
    public init(auth: Claim, now: Double, before: Value, write: RuleWrite) {
        (self.auth, self.now) = (auth, now)
        (self.before, effect) = (before, .write(write))
    }

    /// Describes several writes that are done together, in this order.
    public init(auth: Claim, now: Double, before: Value, update: [RuleWrite]) {
        (self.auth, self.now) = (auth, now)
        (self.before, effect) = (before, .update(update, alone: Value.null.applying(update)))
    }

    /// The query of a read.
    public var query: QueryShape {
        get { if case .read(let query) = effect { query } else { QueryShape() } }
        set { effect = .read(newValue) }
    }

    /// The tree that the operation would make; the same for a read.
    public var after: Value {
        get {
            switch effect {
            case .read: before
            case .tree(let tree): tree
            case .write(let write): before.applying(CollectionOfOne(write))
            case .update(let writes, _): before.applying(writes)
            }
        }
        set { effect = .tree(newValue) }
    }

    /// Returns the value at a written place after the operation, if it is known without the
    /// resulting tree.
    func written(at path: Path) -> Value? {
        switch effect {
        case .read, .tree: nil
        case .write(let write): write.path == path ? write.value : nil
        // Nothing of the tree before remains there.
        case .update(_, let alone): alone[path]
        }
    }
}

/// A part of a write: what it puts at a path, its server values resolved.
public struct RuleWrite: Sendable {
    let path: Path
    let value: Value

    /// Describes what replaces all that is at a path.
    public init(_ value: Value, at path: Path) { (self.path, self.value) = (path, value) }
}

extension Value {
    /// The tree once some writes are done, one after the other.
    fileprivate func applying(_ writes: some Collection<RuleWrite>) -> Value {
        var tree = self
        for write in writes { tree.set(write.value, at: write.path) }
        return tree
    }
}
