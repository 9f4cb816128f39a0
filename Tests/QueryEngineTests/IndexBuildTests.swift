import DataTree
import Testing

@testable import QueryEngine

@Suite struct IndexBuildTests {
    private let field = Key(unchecked: "n")
    private let order = ChildOrder.child(Path([Key(unchecked: "n")]))

    /// A list in which some children have a number.
    private func list(_ count: Int, numbered isNumbered: (Int) -> Bool) -> Value {
        var value = Value.null
        for number in 0..<count {
            let path = Path([Key(index: number), Key(unchecked: isNumbered(number) ? "n" : "text")])
            value.set(.integer(Int64(number * 7 % count)), at: path)
        }
        return value
    }

    private func finish(_ build: inout IndexBuild, over value: Value, slice: Int) -> Int {
        var work = 0
        while build.phase != .complete {
            if build.phase == .awaitingRoom { build.beginCollecting() }
            let spent = build.advance(over: value.children, spending: slice)
            #expect(spent <= slice)
            work += spent
        }
        return work
    }

    private func keys(_ index: Index, of value: Value) -> [Key] {
        var keys: [Key] = []
        let list = OrderedList(value, by: index)
        list.forEach(in: 0..<list.count) { position, _ in keys.append(position.key) }
        return keys
    }

    @Test(arguments: [8, 100, 1_000, 100_000])
    func `slices of any size give the index that is built at once`(slice: Int) {
        let value = list(500) { $0 % 3 != 0 }
        var build = IndexBuild(by: order)
        let work = finish(&build, over: value, slice: slice)
        let whole = Index(by: order, of: value.children)
        #expect(keys(build.index, of: value) == keys(whole, of: value))
        let costs = IndexBuild.collectCost + IndexBuild.mergeCost
        #expect(work <= 500 * costs + 2 * IndexBuild.scanCost)
    }

    @Test func `a list whose children all have null is scanned, and its index takes no memory`() {
        let value = list(500) { _ in false }
        var build = IndexBuild(by: order)
        #expect(finish(&build, over: value, slice: 64) == 500 * IndexBuild.scanCost)
        #expect(build.index.placeCount == 0)
        #expect(keys(build.index, of: value).map(\.text) == (0..<500).map(String.init))
    }

    @Test func `a build asks for room when a child has a value in the order`() {
        let value = list(500) { $0 == 300 }
        var build = IndexBuild(by: order)
        _ = build.advance(over: value.children, spending: 200 * IndexBuild.scanCost)
        #expect(build.phase == .scanning)
        _ = build.advance(over: value.children, spending: 200 * IndexBuild.scanCost)
        #expect(build.phase == .awaitingRoom)
        #expect(build.advance(over: value.children, spending: 200 * IndexBuild.scanCost) == 0)
    }

    @Test func `changes during each phase of a build are in the index`() {
        var value = list(500) { _ in true }
        var build = IndexBuild(by: order)
        var phases: [IndexBuild.Phase] = []
        for number in 0..<10_000 where build.phase != .complete {
            if build.phase == .awaitingRoom { build.beginCollecting() }
            _ = build.advance(over: value.children, spending: 64)
            if phases.last != build.phase { phases.append(build.phase) }
            let child = Key(index: number * 37 % 600)
            let old = value
            let isRemoved = number.isMultiple(of: 3)
            if isRemoved {
                value.set(.null, at: Path([child]))
            } else {
                value.set(.integer(Int64(-number)), at: Path([child, field]))
            }
            var changes: [Change] = []
            Change.append(from: old, to: value, at: .root, into: &changes)
            if !changes.isEmpty {
                build.update(ListChange(changes, to: value), in: value.children)
            }
        }
        #expect(phases == [.awaitingRoom, .collecting, .merging, .catchingUp, .complete])
        let whole = Index(by: order, of: value.children)
        #expect(keys(build.index, of: value) == keys(whole, of: value))
    }

    @Test(arguments: 0..<UInt64(40))
    func `a build takes in what changes between its slices`(seed: UInt64) {
        var random = Random(seed: seed)
        var value = list(60) { _ in random.next(4) > 0 || seed.isMultiple(of: 4) }
        if seed.isMultiple(of: 5) { value = list(60) { _ in false } }
        var build = IndexBuild(by: order)
        for _ in 0..<200 {
            if build.phase == .awaitingRoom { build.beginCollecting() }
            _ = build.advance(over: value.children, spending: 8 * (1 + random.next(3)))
            let old = value
            let child = Key(index: random.next(80))
            switch random.next(12) {
            case 0...3: value.set(.integer(Int64(random.next(9))), at: Path([child, field]))
            case 4...5: value.set(.null, at: Path([child]))
            case 6...7: value.set(.null, at: Path([child, field]))
            case 8: value.set(.string("x"), at: Path([child, Key(unchecked: "text")]))
            case 9 where random.next(9) == 0: value.set(list(70) { $0 % 2 == 0 }, at: .root)
            default: break
            }
            var changes: [Change] = []
            Change.append(from: old, to: value, at: .root, into: &changes)
            if !changes.isEmpty {
                build.update(ListChange(changes, to: value), in: value.children)
            }
        }
        _ = finish(&build, over: value, slice: 64)
        let whole = Index(by: order, of: value.children)
        #expect(keys(build.index, of: value) == keys(whole, of: value))
    }

    @Test func `a first value among nulls leaves the others in the order of their keys`() {
        var value = list(500) { _ in false }
        var index = Index(by: order, of: value.children)
        let old = value
        for number in [7, 300, 600] {
            value.set(.integer(Int64(-number)), at: Path([Key(index: number), field]))
        }
        value.set(.null, at: Path([Key(index: 9)]))
        var changes: [Change] = []
        Change.append(from: old, to: value, at: .root, into: &changes)
        index.update(ListChange(changes, to: value), in: value.children)
        let whole = Index(by: order, of: value.children)
        #expect(keys(index, of: value) == keys(whole, of: value))
        #expect(index.placeCount == 500)
    }
}

/// A small generator of numbers.
private struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}
