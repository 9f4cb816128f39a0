/// Goes through the locations of a value in path order, one at a time, and can stop and go on between any two.
///
/// An object comes before what lies below it, and its priority is a location at `.priority`. Below an object the walk goes only
/// if it is entered:
///
///     while walk.next() { if walk.isAtObject { walk.enter() } else { … } }
struct PlaceWalk: Sendable {
    private struct Level: Sendable {
        var children: Children.Iterator
        var upcoming: Children.Entry?
        var priority: Value

        mutating func next() -> Children.Entry? {
            if upcoming == nil { upcoming = children.next() }
            if !priority.isNull, upcoming.map({ .priority < $0.key }) ?? true {
                return (.priority, priority.take())
            }
            return upcoming.take()
        }
    }

    private var levels: [Level] = []
    /// The keys of the objects that are entered.
    private var keys: [Key] = []
    /// The key of the present location in the object that was entered last; nil at the root.
    private var key: Key?
    private var start: Value?
    /// The value at the present location; a primitive has its priority.
    private(set) var value = Value.null

    init(_ value: Value) { if !value.isNull { start = value } }

    /// Whether the present location has locations below it.
    var isAtObject: Bool { value.hasChildren }

    /// The present location.
    var path: Path { Path(key.map { keys + CollectionOfOne($0) } ?? keys) }

    /// Goes on to the next location; false at the end.
    mutating func next() -> Bool {
        if let first = start.take() {
            value = first
            return true
        }
        while !levels.isEmpty {
            if let entry = levels[levels.count - 1].next() {
                (key, value) = (entry.key, entry.value)
                return true
            }
            levels.removeLast()
            if !keys.isEmpty { keys.removeLast() }
        }
        return false
    }

    /// Has the locations below the present one, an object, come next.
    mutating func enter() {
        if let key { keys.append(key) }
        levels.append(
            Level(children: value.children.makeIterator(), priority: value.priority))
    }
}
