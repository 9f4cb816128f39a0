import DataTree

extension Value {
    /// The value as plain JSON shows it.
    var withoutPriorities: Value {
        if children.isEmpty { return content }
        var plain = Children()
        for (key, child) in children { plain[key] = child.withoutPriorities }
        return Value(plain)
    }
}
