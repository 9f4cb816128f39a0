import Convergence
import DataTree

/// The children of a location by key, each with its registers, except its priority.
struct MergedChildren {
    private var values: IteratorSequence<Children.Iterator>
    private var registers: IteratorSequence<SortedMap<Registers>.Iterator>
    private var nextValue: Children.Entry?
    private var nextRegisters: SortedMap<Registers>.Entry?
    private let end: Key?

    init(_ value: Value, _ registers: Registers, from start: Key?, upTo end: Key?) {
        let children = value.children
        values =
            start.map { children.entries(from: $0) } ?? IteratorSequence(children.makeIterator())
        self.registers =
            start.map { registers.children.entries(from: $0) }
            ?? IteratorSequence(registers.children.makeIterator())
        self.end = end
        nextValue = values.next()
        nextRegisters = self.registers.next()
    }

    mutating func next() -> (Key, Value, Registers?)? {
        if nextRegisters?.key == .priority { nextRegisters = registers.next() }
        guard let key = nextKey else { return nil }
        if let end, !(key < end) { return nil }
        var result: (Key, Value, Registers?) = (key, .null, nil)
        if let entry = nextValue, entry.key == key {
            result.1 = entry.value
            nextValue = values.next()
        }
        if let entry = nextRegisters, entry.key == key {
            result.2 = entry.value
            nextRegisters = registers.next()
        }
        return result
    }

    private var nextKey: Key? {
        guard let key = nextValue?.key else { return nextRegisters?.key }
        guard let other = nextRegisters?.key else { return key }
        return min(key, other)
    }
}

// The approximate size of things in a row; counting stops once there is no room left.

extension Value {
    func consume(room: inout Int) {
        guard room >= 0 else { return }
        switch self {
        case .string(let text): room -= text.utf8.count + 3
        case .object(let children):
            if let bytes = children.packedByteCount {
                room -= bytes
                return
            }
            for (key, child) in children {
                room -= key.utf8Count + 1
                child.consume(room: &room)
                if room < 0 { return }
            }
        case .prioritized(let value):
            value.priority.consume(room: &room)
            value.content.consume(room: &room)
        default: room -= 9
        }
    }
}

extension Registers {
    func consume(room: inout Int) {
        room -= 20 + 24 * terms.count + 60 * clears.count
        for (key, child) in children where room >= 0 {
            room -= key.utf8Count + 1
            child.consume(room: &room)
        }
    }
}
