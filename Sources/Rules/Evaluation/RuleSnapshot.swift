internal import DataTree

/// A place of the tree as a rule sees it, with the places above it, so that `parent()` is known.
struct RuleSnapshot: Sendable {
    /// What is at each place from the root down to here, as far as something is there.
    private var values: [Value]
    /// How many levels it lies below the last of them, where nothing is.
    private var missing = 0

    /// The root of a tree.
    init(root: Value) { values = [root] }

    /// What is here.
    var value: Value { missing > 0 ? .null : values[values.count - 1] }

    /// The place above; nil at the root.
    var parent: RuleSnapshot? {
        var parent = self
        if missing > 0 {
            parent.missing -= 1
        } else if values.count > 1 {
            parent.values.removeLast()
        } else {
            return nil
        }
        return parent
    }

    /// The place one key below.
    func child(_ key: Key) -> RuleSnapshot {
        var child = self
        child.descend(to: missing == 0 ? values[values.count - 1].children[key] : nil)
        return child
    }

    /// The place at a path below: segments between slashes, of which empty ones are dropped. No segment means a
    /// place above, and characters that keys cannot have lead to nothing.
    func child(at path: String) -> RuleSnapshot {
        var place = self
        for segment in path.utf8.split(separator: UInt8(ascii: "/")) {
            guard place.missing == 0 else {
                place.missing += 1
                continue
            }
            // An unchecked key is found only if it is one; none begins with a dot.
            let key = Key(unchecked: String(decoding: segment, as: UTF8.self))
            place.descend(to: place.values[place.values.count - 1].children[key])
        }
        return place
    }

    private mutating func descend(to child: Value?) {
        if let child {
            values.append(child)
        } else {
            missing += 1
        }
    }
}
