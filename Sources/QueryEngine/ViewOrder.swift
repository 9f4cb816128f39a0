import DataTree

/// Keeps the children of a view in the order of its index.
///
/// As long as no child has an indexed value, key order is the order, and the children themselves
/// are all that is needed. The places are listed when the first child gets one.
struct ViewOrder: Sendable {
    let index: Index
    private var places: PlaceList?

    init(by index: Index) { self.index = index }

    func place(of key: Key, _ child: Value) -> Place {
        Place(indexedValue: index.indexedValue(of: child), key: key)
    }

    /// Takes note of children that changed; `children` are all, afterwards.
    ///
    /// - Complexity: O(log n) for each change, and O(n log n) once.
    mutating func update(_ changed: [ChildChange], in children: Children) {
        if places == nil {
            let isOrdered = changed.contains { !index.indexedValue(of: $0.new).isNull }
            if isOrdered { places = PlaceList(children.map { place(of: $0.key, $0.value) }) }
            return
        }
        for change in changed {
            let old = place(of: change.key, change.old)
            let new = place(of: change.key, change.new)
            if !change.old.isNull, !change.new.isNull, old == new { continue }
            if !change.old.isNull { places?.remove(old) }
            if !change.new.isNull { places?.insert(new) }
        }
    }

    /// The key of the child before this one.
    ///
    /// - Complexity: O(log n).
    func key(before key: Key, _ child: Value, in children: Children) -> Key? {
        guard let places else { return children.entry(before: key)?.key }
        return places.entry(before: place(of: key, child))?.key
    }
}

/// One child before and after a change; null where there is none.
struct ChildChange: Sendable {
    let key: Key
    let old: Value
    let new: Value
}
