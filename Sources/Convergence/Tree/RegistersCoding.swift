import DataTree
package import SyncProtocol

// The encoding of registers in checkpoints:
//
//     [present, write, increment, descendantWrite, terms, clears, children]
//
// `present` has a bit for each of the six, and only those whose bit is set follow. A stamp is two
// integers, its time and its writer.

private struct Present: OptionSet {
    let rawValue: UInt64

    static let write = Present(rawValue: 1)
    static let increment = Present(rawValue: 2)
    static let descendantWrite = Present(rawValue: 4)
    static let terms = Present(rawValue: 8)
    static let clears = Present(rawValue: 16)
    static let children = Present(rawValue: 32)

    var elementCount: Int {
        1 + 2 * intersection([.write, .increment, .descendantWrite]).rawValue.nonzeroBitCount
            + intersection([.terms, .clears, .children]).rawValue.nonzeroBitCount
    }
}

// MARK: - Writing

extension MessagePackWriter {
    /// Appends registers and all registers below them.
    package mutating func append(_ registers: Registers) {
        let present = Present(of: registers)
        appendArrayHead(present.elementCount)
        append(present.rawValue)
        if present.contains(.write) { append(bare: registers.write) }
        if present.contains(.increment) { append(bare: registers.increment) }
        if present.contains(.descendantWrite) { append(bare: registers.descendantWrite) }
        if present.contains(.terms) { append(registers.terms) }
        if present.contains(.clears) { append(registers.clears) }
        guard present.contains(.children) else { return }
        appendMapHead(registers.children.count)
        for (key, child) in registers.children {
            append(key)
            append(child)
        }
    }

    private mutating func append(bare stamp: Stamp) {
        append(stamp.time.bits)
        append(stamp.writer.bits)
    }

    /// Each term is `[time, writer, 1 for an increment, value]`.
    private mutating func append(_ terms: [Term]) {
        appendArrayHead(terms.count)
        for term in terms {
            appendArrayHead(4)
            append(bare: term.stamp)
            switch term.step {
            case .start(let value):
                append(UInt64(0))
                append(value)
            case .add(let delta):
                append(UInt64(1))
                append(delta.value)
            }
        }
    }

    /// Each clear is `[time, writer, [path, …]]`.
    private mutating func append(_ clears: [PartialClear]) {
        appendArrayHead(clears.count)
        for clear in clears {
            appendArrayHead(3)
            append(bare: clear.stamp)
            appendArrayHead(clear.spared.count)
            for path in clear.spared { append(path) }
        }
    }
}

extension Present {
    init(of registers: Registers) {
        self = []
        if registers.write != .none { insert(.write) }
        if registers.increment != .none { insert(.increment) }
        if registers.descendantWrite != .none { insert(.descendantWrite) }
        if !registers.terms.isEmpty { insert(.terms) }
        if !registers.clears.isEmpty { insert(.clears) }
        if !registers.children.isEmpty { insert(.children) }
    }
}

// MARK: - Reading

extension MessagePackReader {
    /// Reads registers and all registers below them.
    package mutating func registers(depth: Int = 0) throws(FrameError) -> Registers {
        let start = position
        let count = try arrayHead("registers (an array)")
        let present = Present(rawValue: try unsigned("which registers follow"))
        guard count == present.elementCount, depth <= Limits.depth + 1 else {
            throw .ofCheckpoint("registers of another form", at: start)
        }
        var registers = Registers()
        if present.contains(.write) { registers.write = try bareStamp() }
        if present.contains(.increment) { registers.increment = try bareStamp() }
        if present.contains(.descendantWrite) { registers.descendantWrite = try bareStamp() }
        if present.contains(.terms) { registers.terms = try terms() }
        if present.contains(.clears) { registers.clears = try clears() }
        guard present.contains(.children) else { return registers }
        for _ in 0..<(try mapHead("registers by key")) {
            let key = try registerKey()
            registers.children.updateValue(try self.registers(depth: depth + 1), forKey: key)
        }
        return registers
    }

    /// A key, or the reserved key of a priority.
    private mutating func registerKey() throws(FrameError) -> Key {
        let start = position
        let path = try path()
        guard path.count == 1, let key = path.last else {
            throw .ofCheckpoint("a key is a path", at: start)
        }
        return key
    }

    private mutating func bareStamp() throws(FrameError) -> Stamp {
        Stamp(time: try time(), writer: try writerID())
    }

    private mutating func terms() throws(FrameError) -> [Term] {
        var terms: [Term] = []
        for _ in 0..<(try arrayHead("terms")) {
            let start = position
            guard try arrayHead("a term") == 4 else {
                throw .ofCheckpoint("a term of another length", at: start)
            }
            let stamp = try bareStamp()
            let isIncrement = try unsigned("whether a term is an increment") == 1
            let value = try value()
            guard isIncrement else {
                terms.appendStep(Term(stamp: stamp, step: .start(value)))
                continue
            }
            guard let delta = value.number else {
                throw .ofCheckpoint("an increment without a number", at: start)
            }
            terms.appendStep(Term(stamp: stamp, step: .add(delta)))
        }
        return terms
    }

    private mutating func clears() throws(FrameError) -> [PartialClear] {
        var clears: [PartialClear] = []
        for _ in 0..<(try arrayHead("clears")) {
            let start = position
            guard try arrayHead("a clear") == 3 else {
                throw .ofCheckpoint("a clear of another length", at: start)
            }
            let stamp = try bareStamp()
            var spared: [Path] = []
            for _ in 0..<(try arrayHead("the places of a clear")) { spared.append(try path()) }
            clears.append(PartialClear(stamp: stamp, spared: spared))
        }
        return clears
    }
}
