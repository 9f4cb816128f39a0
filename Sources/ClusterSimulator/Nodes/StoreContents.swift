import Store
import SyncProtocol

/// The meaning of the rows of a store.
struct StoreContents {
    /// The batches of each origin by sequence; no origin is without any.
    private var log: [WriterID: [LogEntry]] = [:]
    private var orphans: [WriterID: [LogEntry]] = [:]
    /// The operations in the checkpoint.
    private var checkpoint = VersionVector()
    private var properties: [Property.Name: [UInt8]] = [:]

    init() {}

    init(of tables: MemoryTables) {
        log = StoreContents.batches(in: .batch, of: tables)
        orphans = StoreContents.batches(in: .orphan, of: tables)
        let head = tables.property("checkpoint").flatMap { try? CheckpointHead($0) }
        checkpoint = head?.vector ?? VersionVector()
        for name in Property.Name.allCases {
            properties[name] = tables.property(name.rawValue)
        }
    }

    private static func batches(
        in table: Table, of tables: MemoryTables
    ) -> [WriterID: [LogEntry]] {
        Dictionary(grouping: tables.allRows(in: table).map { LogEntry($0) }, by: \.origin)
    }
}

// MARK: - Changes

extension StoreContents {
    mutating func apply(_ change: StoreModel.Change) {
        switch change {
        case .turns(let turns): for turn in turns { append(turn) }
        case .checkpoint(let vector): checkpoint = vector
        case .installation(let vector, let keepsLog):
            checkpoint = vector
            for origin in log.keys {
                log.change(origin) { $0 = keepsLog ? $0.continuing(vector[origin]) : [] }
            }
        case .orphans(let origin, let sequence): keepOrphans(of: origin, after: sequence)
        case .truncation(let origin, let sequence):
            log.change(origin) { $0.removeFirst(endingBy: sequence) }
        }
    }

    private mutating func append(_ turn: Turn) {
        for batch in turn.batches { log[batch.origin, default: []].append(batch) }
        for property in turn.properties { properties[property.name] = property.bytes }
        if turn.clearsOrphans { orphans = [:] }
    }

    private mutating func keepOrphans(of origin: WriterID, after sequence: UInt64) {
        let kept = orphans[origin] ?? []
        let added = (log[origin] ?? []).filter { batch in
            batch.first > sequence && !kept.contains { $0.first == batch.first }
        }
        orphans.change(origin) { $0 = (kept + added).sorted { $0.first < $1.first } }
    }
}

extension [WriterID: [LogEntry]] {
    fileprivate mutating func change(_ origin: WriterID, _ body: (inout [LogEntry]) -> Void) {
        // In place: a copy of the log costs more than the change.
        body(&self[origin, default: []])
        if self[origin]?.isEmpty == true { self[origin] = nil }
    }
}

extension [LogEntry] {
    /// The batches that follow a sequence without a gap.
    fileprivate func continuing(_ sequence: UInt64) -> [LogEntry] {
        var end = sequence
        var batches: [LogEntry] = []
        for batch in self where batch.first == end + 1 {
            batches.append(batch)
            end = batch.last
        }
        return batches
    }

    /// Removes as many batches as one slice of a truncation, if they end at or before a sequence.
    fileprivate mutating func removeFirst(endingBy sequence: UInt64) {
        let removed = prefix(VirtualDisk.limits.truncatedBatches).prefix { $0.last <= sequence }
        removeFirst(removed.count)
    }
}

// MARK: - Comparisons

extension StoreContents {
    /// The difference from the expected contents in these tables alone; `.row` stands for
    /// checkpoint and properties.
    func difference(
        from expected: StoreContents, in tables: [Table] = Table.allCases
    ) -> String? {
        if tables.contains(.batch), log != expected.log {
            return "the log \(log.difference(from: expected.log))"
        }
        if tables.contains(.orphan), orphans != expected.orphans {
            return "the orphaned part \(orphans.difference(from: expected.orphans))"
        }
        guard tables.contains(.row) else { return nil }
        if checkpoint != expected.checkpoint {
            return "the checkpoint has \(checkpoint.line) instead of \(expected.checkpoint.line)"
        }
        let names = Property.Name.allCases.filter { properties[$0] != expected.properties[$0] }
        return names.first.map { "the property \($0.rawValue) is another one" }
    }

    /// The batches that hold operations from one sequence to another.
    func batches(
        of origin: WriterID, _ first: UInt64, through last: UInt64
    ) -> [LogEntry] {
        (log[origin] ?? []).filter { $0.last >= first && $0.first <= last }
    }

    /// The first batch that ends at or before a vector.
    func firstBatch(through vector: VersionVector) -> String? {
        for (origin, batches) in log.sorted(by: { $0.key < $1.key }) {
            guard let first = batches.first, first.last <= vector[origin] else { continue }
            return "\(first.first) to \(first.last) of \(origin)"
        }
        return nil
    }

    /// The gap between the checkpoint and the log of an origin.
    var gap: String? {
        for (origin, batches) in log.sorted(by: { $0.key < $1.key }) {
            var end = checkpoint[origin]
            for batch in batches where batch.last > checkpoint[origin] {
                guard batch.first == end + 1 else {
                    return "the log of \(origin) goes from \(end) to \(batch.first)"
                }
                end = batch.last
            }
        }
        return nil
    }
}

extension [WriterID: [LogEntry]] {
    /// The contents and the expected contents of the first origin that differs.
    fileprivate func difference(from expected: Self) -> String {
        let origins = Set(keys).union(expected.keys).sorted()
        guard let origin = origins.first(where: { self[$0] != expected[$0] }) else { return "" }
        let (found, wanted) = (self[origin, default: []], expected[origin, default: []])
        return found.ranges == wanted.ranges
            ? "of \(origin) has other bytes in \(found.ranges)"
            : "of \(origin) has \(found.ranges) instead of \(wanted.ranges)"
    }
}

extension [LogEntry] {
    /// The sequences, as in `1…5,7…9`.
    fileprivate var ranges: String {
        var ranges: [(first: UInt64, last: UInt64)] = []
        for batch in self {
            if let last = ranges.last, last.last + 1 == batch.first {
                ranges[ranges.count - 1].last = batch.last
            } else {
                ranges.append((batch.first, batch.last))
            }
        }
        return ranges.isEmpty
            ? "nothing" : ranges.map { "\($0.first)…\($0.last)" }.joined(separator: ",")
    }
}
