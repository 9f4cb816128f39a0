import DataTree
import Testing

@testable import ClusterAdministration

/// The course of a migration on values: a walk, changes in between, and the locations that events name late.
private struct ModelMigration {
    var source: Value
    var target = Value.null
    var random: SeededGenerator
    private var changed = ChangedLocations()
    /// The events that the stream has not delivered yet.
    private var underWay: [Path] = []
    /// A page of more locations than this is too large to read.
    private let pageLimit = 6

    init(_ source: Value, seed: UInt64) {
        self.source = source
        random = SeededGenerator(seed: seed)
    }

    /// Writes at the source, which sends an event.
    mutating func write(_ value: Value, at path: Path) {
        source.set(value, at: path)
        underWay.append(path)
    }

    /// The stream delivers events, in order.
    mutating func deliver(_ count: Int) {
        for path in underWay.prefix(count) { changed.insert(path) }
        underWay.removeFirst(min(count, underWay.count))
    }

    mutating func deliverAll() { deliver(underWay.count) }

    mutating func applyChanges() {
        for path in changed.removeAll() { target.set(source[path], at: path) }
    }

    mutating func advance(_ walk: inout MigrationWalk) {
        guard let step = walk.step else { return }
        switch step {
        case .page(let path, let after, let limit):
            let children = source[path].children.filter { after == nil || after! < $0.key }
                .prefix(limit)
            guard children.reduce(0, { $0 + $1.value.primitiveCount }) <= pageLimit else {
                return walk.pageWasTooLarge()
            }
            let range = walk.readPage(
                of: children.count, endingAt: children.last?.key, bytes: children.count * 100)
            replace(children, in: range)
        case .key(let path, let after):
            let key = source[path].children.first { after == nil || after! < $0.key }?.key
            replace([], in: walk.readKey(key))
        case .value(let path):
            walk.readEnd()
            target.set(source[path], at: path)
        case .priority(let path):
            walk.readEnd()
            let path = path.appending(.priority)
            target.set(source[path], at: path)
        }
    }

    private mutating func replace(
        _ children: ArraySlice<Children.Entry>, in range: MigrationWalk.KeyRange
    ) {
        for (key, _) in target[range.path].children where range.contains(key) {
            if !children.contains(where: { $0.key == key }) {
                target.set(.null, at: range.path.appending(key))
            }
        }
        for (key, child) in children { target.set(child, at: range.path.appending(key)) }
    }
}

extension MigrationWalk.KeyRange {
    fileprivate func contains(_ key: Key) -> Bool {
        if let after, key <= after { return false }
        if let through, key > through { return false }
        if let before, key >= before { return false }
        return true
    }
}

/// SplitMix64.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite struct MigrationModelTests {
    private func path(_ random: inout SeededGenerator) -> Path {
        let names = ["a", "b", "c", "d", "10", "9"]
        let depth = Int.random(in: 0...3, using: &random)
        var keys = (0..<depth).map { _ in Key(unchecked: names.randomElement(using: &random)!) }
        if depth > 0, Int.random(in: 0..<8, using: &random) == 0 { keys.append(.priority) }
        return Path(keys)
    }

    private func value(_ path: Path, _ random: inout SeededGenerator) -> Value {
        let number = Value.integer(Int64.random(in: 1...9, using: &random))
        // An empty root would end most of what a seed has built.
        if path.isRoot { return .object(named: [("a", number), ("d", number)]) }
        if path.last == .priority { return number }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .null
        case 1:
            return .object(named: ["a", "b", "c", "x", "y"].map { ($0, number) })
        default: return number
        }
    }

    @Test(arguments: 1...300)
    func `both sides end equal, whatever is written while pieces are read`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var model = ModelMigration(.null, seed: UInt64(seed))
        for _ in 0..<30 {
            let path = path(&random)
            model.source.set(value(path, &random), at: path)
        }
        var walk = MigrationWalk(of: .root)
        while walk.step != nil {
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let path = path(&random)
                model.write(value(path, &random), at: path)
            }
            model.deliver(Int.random(in: 0...3, using: &random))
            model.applyChanges()
            model.advance(&walk)
            if let cursor = walk.cursor, Int.random(in: 0..<10, using: &random) == 0 {
                walk = MigrationWalk(of: .root, from: cursor)
            }
        }
        model.deliverAll()
        model.applyChanges()
        // A walk after the last write repairs what an event cannot show, such as the priority of a removed child.
        var last = MigrationWalk(of: .root)
        while last.step != nil { model.advance(&last) }
        #expect(model.target == model.source)
    }

    @Test(arguments: 1...100)
    func `a walk alone repairs a target with any content`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var model = ModelMigration(.null, seed: UInt64(seed))
        for _ in 0..<40 {
            let (one, other) = (path(&random), path(&random))
            model.source.set(value(one, &random), at: one)
            model.target.set(value(other, &random), at: other)
        }
        var walk = MigrationWalk(of: .root)
        while walk.step != nil { model.advance(&walk) }
        #expect(model.target == model.source)
    }
}
