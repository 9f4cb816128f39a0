internal import DataTree

/// The way from the root to the place whose rules are evaluated, with what is at each place of it before and after the
/// operation, as far as a rule has looked.
struct Route: Sendable {
    /// A tree that rules look at.
    enum Tree: Sendable {
        case before
        case after
    }

    /// A place of the way.
    struct Place: Sendable {
        /// The key that leads here from the place before; nil at the root.
        let key: Key?
        /// The level of the document that leads here.
        let level: Int
        /// Whether a wildcard stands for the key.
        let isBinding: Bool
        var before: Value?
        var after: Value?
        /// What the rule of the kind that grants gave here, if it was evaluated.
        var isGranted: Bool?
        /// What `.validate` gave here, if it was evaluated.
        var isValid: Bool?
    }

    /// The places, the root first; never empty.
    var places: [Place]

    /// The way that is only the root, with room for so many keys.
    init(reserving depth: Int) {
        places = []
        places.reserveCapacity(depth + 1)
        places.append(Place(key: nil, level: 0, isBinding: false))
    }

    /// How many keys the way has.
    var depth: Int { places.count - 1 }

    /// How many keys it has in common with a path, from the root.
    func sharedDepth(with path: Path) -> Int {
        let limit = min(depth, path.count)
        var shared = 0
        while shared < limit, places[shared + 1].key == path.keys[shared] { shared += 1 }
        return shared
    }

    /// Goes on to the next place, and to what is there after the operation if that is known.
    mutating func descend(by key: Key, to level: Int, binding: Bool, finding after: Value?) {
        places.append(Place(key: key, level: level, isBinding: binding, after: after))
    }

    /// Goes back until so many keys are left.
    mutating func ascend(to depth: Int) {
        while self.depth > depth { places.removeLast() }
    }

    /// The path of a place of the way.
    func path(at depth: Int) -> Path { Path(places[...depth].compactMap(\.key)) }

    /// The key that a wildcard stands for; they are counted from the root.
    func binding(_ number: Int) -> Key {
        var number = number
        for place in places where place.isBinding {
            if number == 0 { return place.key! }
            number -= 1
        }
        preconditionFailure("no wildcard \(number) stands on the way of \(places.count) places")
    }
}
