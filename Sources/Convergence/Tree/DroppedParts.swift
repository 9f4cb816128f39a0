package import DataTree

/// Large parts that operations have taken out of a tree. Freeing them takes about 100 ns for each location, so a driver does
/// it on another thread.
public struct DroppedParts: Sendable {
    /// Parts with at most about this many locations are freed at once.
    static let smallCount = 4_096

    private var values: [SortedMap<Value>]
    private var registers: [SortedMap<Registers>]

    /// No parts.
    package init() { (values, registers) = ([], []) }

    /// The large ones among some values, and large registers.
    ///
    /// - Complexity: O(values), since the size of each is determined only up to `smallCount`.
    package init(values: some Sequence<Value>, registers: [SortedMap<Registers>] = []) {
        self.values = values.compactMap { value in
            value.hasMoreLocations(than: DroppedParts.smallCount) ? value.children.asMap : nil
        }
        self.registers = registers
    }

    /// Whether no part is left.
    public var isEmpty: Bool { values.isEmpty && registers.isEmpty }

    /// Adds other parts.
    public mutating func append(_ other: DroppedParts) {
        values += other.values
        registers += other.registers
    }

    /// Frees the parts to which nothing else refers, such as an answer that is still being sent. The others stay: what refers
    /// to them keeps them in memory anyway.
    public mutating func freeUnshared() {
        for index in values.indices.reversed() where values[index].isUnshared() {
            values.remove(at: index)
        }
        for index in registers.indices.reversed() where registers[index].isUnshared() {
            registers.remove(at: index)
        }
    }
}

extension DroppedParts: Equatable {
    /// Whether both have equal values; registers do not count.
    public static func == (a: DroppedParts, b: DroppedParts) -> Bool { a.values == b.values }
}
