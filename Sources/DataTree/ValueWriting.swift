// Values, keys and paths as MessagePack: a key is a string, a path the string `a/b`, an object a
// map of its children in key order. Values with a priority and server values are in Firebase's
// export form. Its reserved members come first: `.priority`, then `.value`, `.sv` or the children.

extension MessagePackWriter {
    package mutating func append(_ key: Key) {
        key.withUTF8 { append(utf8: $0) }
    }

    package mutating func append(_ path: Path) {
        appendStringHead(path.utf8Count)
        for (index, key) in path.keys.enumerated() {
            if index > 0 { append(byte: UInt8(ascii: "/")) }
            key.withUTF8 { append(encoded: UnsafeRawBufferPointer($0)) }
        }
    }

    package mutating func append(_ value: Value) {
        switch value {
        case .null: appendNil()
        case .boolean(let boolean): append(boolean)
        case .integer(let number): append(number)
        case .double(let number): append(number)
        case .string(let text): append(text)
        case .object(let children):
            if children.withPackedBytes({ append(encoded: $0) }) != nil { return }
            appendMapHead(children.count)
            append(children)
        case .prioritized(let value): append(value)
        case .deferred(let serverValue):
            appendMapHead(1)
            append(serverValue)
        }
    }

    private mutating func append(_ children: Children) {
        children.visit { key, child in
            append(key)
            append(child)
        }
    }

    private mutating func append(_ value: Prioritized) {
        appendMapHead(1 + max(1, value.content.children.count))
        append(".priority")
        append(value.priority)
        switch value.content {
        case .object(let children): append(children)
        case .deferred(let serverValue): append(serverValue)
        case let primitive:
            append(".value")
            append(primitive)
        }
    }

    /// Appends the member `.sv` of a map.
    private mutating func append(_ serverValue: ServerValue) {
        append(".sv")
        switch serverValue {
        case .timestamp: append("timestamp")
        case .increment(let delta):
            appendMapHead(1)
            append("increment")
            append(delta.value)
        }
    }
}
