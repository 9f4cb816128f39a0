import DataTree

/// Places of a tree: a path in which each `$name` stands for any child.
struct PlacePattern: Equatable, Sendable {
    enum Segment: Equatable, Sendable {
        case literal(Key)
        case wildcard(String)
    }

    /// A place that the pattern fits, in a tree and in an older one.
    struct Match {
        var path = Path.root
        /// Nil where the older tree has no such place.
        var old: Value?
        /// Nil if the tree has no such location.
        var new: Value?
    }

    let segments: [Segment]

    /// The keys and the wildcards from the root: `accounts`, `$id`, `balance`.
    var names: [String] {
        segments.map { segment in
            switch segment {
            case .literal(let key): key.text
            case .wildcard(let name): name
            }
        }
    }

    /// The wildcards among them.
    var wildcards: [String] { names.filter { $0.hasPrefix("$") } }

    /// The places that may show something else than in an older tree; all places if there is none.
    ///
    /// - Complexity: O(what the trees do not share, as far as the pattern leads there).
    func visit(_ new: Value, since old: Value?, _ body: (Match) -> Void) {
        visit(Match(old: old, new: new), segments[...], body)
    }

    private func visit(_ match: Match, _ rest: ArraySlice<Segment>, _ body: (Match) -> Void) {
        if let old = match.old, let new = match.new, old.isSame(as: new) { return }
        guard let segment = rest.first else { return body(match) }
        switch segment {
        case .literal(let key):
            var below = match
            below.path.keys.append(key)
            below.old = match.old?[key]
            below.new = match.new?[key]
            visit(below, rest.dropFirst(), body)
        case .wildcard:
            let (old, new) = (match.old?.children ?? Children(), match.new?.children ?? Children())
            for key in new.differences(from: old, areSame: { $0.isSame(as: $1) }) {
                var below = match
                below.path.keys.append(key)
                (below.old, below.new) = (old[key], new[key])
                visit(below, rest.dropFirst(), body)
            }
        }
    }

    /// Whether a write at a path may change a place of the pattern.
    func mayTouch(_ path: Path) -> Bool {
        zip(segments, path.keys).allSatisfy { segment, key in
            if case .literal(let literal) = segment { literal == key } else { true }
        }
    }
}

extension PlacePattern: CustomStringConvertible {
    /// As in a scenario: `/accounts/$id/balance`.
    var description: String { "/" + names.joined(separator: "/") }
}
