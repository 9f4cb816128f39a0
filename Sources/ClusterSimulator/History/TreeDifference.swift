import DataTree

/// The difference of two trees: the first few paths, with the value of each tree there.
struct TreeDifference: CustomStringConvertible {
    /// How many paths are named.
    static let limit = 4

    private let changes: [Change]

    /// - Parameter path: Where both are.
    init(_ first: Value, _ second: Value, at path: Path = .root) {
        var changes: [Change] = []
        Change.append(from: first, to: second, at: path, into: &changes)
        self.changes = changes
    }

    /// The first path that differs; nil if only the order of children does.
    var path: Path? { changes.first?.path }
    var isEmpty: Bool { changes.isEmpty }

    /// As in `/a/b: 5 and 7; /c: null and {"x":1}; and 3 more`.
    var description: String {
        // Children in another order are no changes.
        if isEmpty { return "in the order of children alone" }
        var parts = changes.prefix(TreeDifference.limit).map {
            "\($0.path): \($0.old.summary) and \($0.new.summary)"
        }
        if changes.count > parts.count { parts.append("and \(changes.count - parts.count) more") }
        return parts.joined(separator: "; ")
    }
}

extension Value {
    /// The value on a part of a line. A long object is cut off, with the number of its children.
    var summary: String {
        let text = description
        let children = children.count
        guard text.utf8.count > 100, children > 1 else { return text.cut(to: 100) }
        return "\(text.cut(to: 80)) (\(children) children)"
    }
}

extension String {
    /// The beginning of a text that is longer.
    func cut(to limit: Int) -> String { utf8.count > limit ? "\(prefix(limit))…" : self }
}
