extension Value {
    /// Checks that this value, stored at `path`, keeps the limits of the data model.
    ///
    /// - Throws: `DataError`, naming the offending location, for a path or data more than 32 keys deep, a
    ///   joined path of more than 768 bytes, a string of more than 10 MiB, or a double that is not
    ///   a number or infinite. Source: `firebase-semantics.md`, rules K4, V7 and V8.
    /// - Complexity: O(size).
    public func validate(at path: Path) throws(DataError) {
        if let problem = path.limitExceeded {
            throw DataError(
                problem: "invalid data at \(path): \(problem)",
                fix: "keep the tree flatter, and keys shorter")
        }
        let place = path.last == .priority ? path.parent! : path
        let bytes = place.isRoot ? 0 : place.utf8Count + 1
        guard var failure = failure(depth: place.count, bytes: bytes) else { return }
        failure.trail.reverse()
        throw DataError(
            problem: "invalid data at \(path.appending(Path(failure.trail))): \(failure.problem)",
            fix: failure.fix)
    }

    /// The problem, and the keys of its path in reverse order.
    private struct Failure {
        var problem: String
        var fix: String
        var trail: [Key] = []
    }

    /// - Parameters:
    ///   - depth: Keys on the way here.
    ///   - bytes: Their length in UTF-8, with a separator behind each.
    private func failure(depth: Int, bytes: Int) -> Failure? {
        switch self {
        case .null, .boolean, .integer, .deferred(.timestamp), .deferred(.increment(.integer)):
            return nil
        case .double(let number), .deferred(.increment(.double(let number))):
            if number.isFinite { return nil }
            return Failure(problem: "\(number) is not data", fix: "use a finite number or null")
        case .string(let text):
            if text.utf8.count <= Limits.stringBytes { return nil }
            return Failure(
                problem: "a string has \(text.utf8.count) bytes",
                fix: "split strings of more than \(Limits.stringBytes) bytes")
        case .prioritized(let value):
            if var failure = value.priority.failure(depth: depth, bytes: bytes) {
                failure.trail.append(.priority)
                return failure
            }
            return value.content.failure(depth: depth, bytes: bytes)
        case .object(let children):
            return Value.failure(in: children, depth: depth, bytes: bytes)
        }
    }

    private static func failure(in children: Children, depth: Int, bytes: Int) -> Failure? {
        if depth >= Limits.depth {
            return Failure(
                problem: "data below is more than \(Limits.depth) keys deep",
                fix: "keep the tree flatter")
        }
        // Packed children have no long keys, no long strings and no other numbers.
        if children.isPacked, bytes + Children.PackedLimits.keyBytes <= Limits.pathBytes {
            return nil
        }
        for (key, child) in children {
            let bytesBelow = bytes + key.utf8Count
            var failure =
                bytesBelow > Limits.pathBytes
                ? Failure(
                    problem: "the path has \(bytesBelow) bytes",
                    fix: "use keys that join to at most \(Limits.pathBytes) bytes")
                : child.failure(depth: depth + 1, bytes: bytesBelow + 1)
            failure?.trail.append(key)
            if let failure { return failure }
        }
        return nil
    }
}

extension Value {
    /// Checks the keys and the priorities of a value that no decoder has checked, such as a literal.
    ///
    /// - Throws: `DataError`, naming the offending location.
    /// - Complexity: O(size).
    package func validateForm(at path: Path) throws(DataError) {
        if !priority.isNull { _ = try ObjectBuilder.checked(priority: priority) }
        for (key, child) in children {
            guard key.withUTF8(KeyRules.allow) else {
                throw DataError(
                    problem: "invalid key \"\(key.text)\" at \(path)",
                    fix:
                        "use 1 to \(Limits.keyBytes) bytes without . # $ / [ ] or control characters"
                )
            }
            if !child.isPlainPrimitive { try child.validateForm(at: path.appending(key)) }
        }
    }

    /// Whether it is a primitive without a priority.
    private var isPlainPrimitive: Bool {
        switch self {
        case .object, .prioritized: false
        default: true
        }
    }
}
