internal import DataTree

/// A level of the document: the rules of the places that its keys lead to.
struct RuleLevel: Sendable {
    /// The levels that lead here, the root first and this one last.
    let way: [Int]
    /// The levels below, by the keys that lead there.
    var literals = SortedMap<Int>()
    /// The level for all other keys.
    var wildcard: Int?
    var read: Int?
    var write: Int?
    var validate: Int?
    var indexes: [String] = []
    /// Those of the levels in `literals` that have a `.validate`, or one below them, in the order of their keys.
    var validated: [Validated] = []
    /// Whether a level below has a `.validate`.
    var validatesBelow = false

    /// A level below that has a `.validate`, or one below it.
    final class Validated: Sendable {
        let level: Int
        let key: Key
        /// Its own `.validate` and what that asks of the value, if there is no other, and an outline tells that.
        let only: (rule: Int, check: ValueCheck)?

        init(_ level: Int, at key: Key, only: (rule: Int, check: ValueCheck)?) {
            (self.level, self.key, self.only) = (level, key, only)
        }
    }

    /// Whether the level, or one below, has a `.validate`.
    var validates: Bool { validate != nil || validatesBelow }

    /// The rule of a kind.
    func rule(_ kind: RuleKind) -> Int? {
        switch kind {
        case .read: read
        case .write: write
        case .validate: validate
        }
    }
}
