import DataTree
import SyncProtocol

extension Value {
    /// The writes that make this value of an older version of it, at places that do not contain each other; none if they are
    /// equal.
    ///
    /// - Complexity: O(what the two do not share).
    func differences(from old: Value) -> [Write] {
        var writes: [Write] = []
        appendDifferences(from: old, at: .root, to: &writes)
        return writes
    }

    private func appendDifferences(from old: Value, at path: Path, to writes: inout [Write]) {
        if isShared(with: old) { return }
        guard case .object(let children) = self, case .object(let oldChildren) = old else {
            if self != old { writes.append(Write(path: path, value: self)) }
            return
        }
        let keys = children.differences(from: oldChildren) { $1.isShared(with: $0) }
        for key in keys {
            let (child, oldChild) = (children[key] ?? .null, oldChildren[key] ?? .null)
            child.appendDifferences(from: oldChild, at: path.appending(key), to: &writes)
        }
    }
}
