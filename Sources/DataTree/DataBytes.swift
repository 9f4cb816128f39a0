// The bytes of data, as the limits of databases count them: keys and strings as UTF-8, 8 for a number, and 1 for a boolean.

extension Value {
    /// The bytes of the data in this value.
    ///
    /// - Complexity: O(locations).
    package var dataBytes: Int {
        switch self {
        case .object(let children): children.dataBytes
        case .prioritized(let value): value.content.dataBytes + value.priority.dataBytes
        case .null, .boolean, .integer, .double, .string, .deferred: outline.dataBytes
        }
    }

    /// About the bytes of the data in this value. Objects with more children than `samples` are estimated by some of them.
    ///
    /// - Complexity: O(`samples`) for the lists that occur in practice.
    package func estimatedDataBytes(samples: Int) -> Int {
        switch self {
        case .object(let children): children.estimatedDataBytes(samples: samples)
        case .prioritized(let value):
            value.content.estimatedDataBytes(samples: samples) + value.priority.dataBytes
        case .null, .boolean, .integer, .double, .string, .deferred: outline.dataBytes
        }
    }
}

extension Children {
    fileprivate var dataBytes: Int {
        switch storage {
        case .map(let map): map.reduce(0) { $0 + $1.key.utf8Count + $1.value.dataBytes }
        case .packed(let packed): packed.dataBytes
        }
    }

    /// The fewest samples that a child gets, so that those of a list of records are complete.
    private static let fewestSamples = 16

    fileprivate func estimatedDataBytes(samples: Int) -> Int {
        guard case .map(let map) = storage else { return dataBytes }
        let visited = Swift.min(map.count, samples)
        guard visited > 0 else { return 0 }
        let share = Swift.max(samples / visited, Children.fewestSamples)
        var bytes = 0
        for number in 0..<visited {
            let (key, child) = map.entry(at: number * map.count / visited)
            bytes += key.utf8Count + child.estimatedDataBytes(samples: share)
        }
        return visited == map.count
            ? bytes : Int(Double(bytes) / Double(visited) * Double(map.count))
    }
}

extension PackedChildren {
    fileprivate var dataBytes: Int {
        withBytes { bytes in
            var reader = PackedReader(bytes, at: PackedChildren.start)
            var count = 0
            while !reader.isAtEnd {
                count += reader.takeKey().utf8Count + reader.takeOutline().dataBytes
            }
            return count
        }
    }
}

extension ValueOutline {
    fileprivate var dataBytes: Int {
        switch self {
        case .null, .object, .deferred: 0
        case .boolean: 1
        case .number: 8
        case .string(let count, _): count
        }
    }
}

/// A count of the bytes of a value that is done in slices.
package struct DataByteCount: Sendable {
    /// The value, which the count keeps in memory until its end.
    package let value: Value
    /// The bytes that are counted so far.
    package private(set) var bytes: Int
    /// The children that are being visited, from the outermost object down.
    private var levels: [Children.Iterator] = []

    /// Begins a count.
    package init(of value: Value) {
        self.value = value
        if case .object(let children) = value.content {
            bytes = value.priority.dataBytes
            levels = [children.makeIterator()]
        } else {
            bytes = value.dataBytes
        }
    }

    /// Whether everything is counted.
    package var isDone: Bool { levels.isEmpty }

    /// Counts further locations, at most this many.
    package mutating func advance(by locations: inout Int) {
        while locations > 0, !levels.isEmpty {
            guard let (key, child) = levels[levels.count - 1].next() else {
                levels.removeLast()
                continue
            }
            locations -= 1
            bytes += key.utf8Count
            if case .object(let children) = child.content, !children.isPacked {
                bytes += child.priority.dataBytes
                levels.append(children.makeIterator())
            } else {
                bytes += child.dataBytes
            }
        }
    }
}
