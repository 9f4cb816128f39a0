import DataTree
import Testing

@testable import ClusterAdministration

@Suite struct MigrationWalkTests {
    private let root = Path.root
    private func key(_ text: String) -> Key { Key(unchecked: text) }
    private func path(_ keys: String...) -> Path { Path(keys.map { Key(unchecked: $0) }) }

    @Test func `pages follow each other, and the priority is last`() {
        var walk = MigrationWalk(of: root)
        #expect(walk.step == .page(root, after: nil, limit: 100))
        let first = walk.readPage(of: 100, endingAt: key("m"), bytes: 100 * 1_000)
        #expect(first == .init(path: root, after: nil, through: key("m")))
        #expect(walk.step == .page(root, after: key("m"), limit: 400))
        let last = walk.readPage(of: 3, endingAt: key("z"), bytes: 300)
        #expect(last == .init(path: root, after: key("m"), through: nil))
        #expect(walk.step == .priority(root))
        walk.readEnd()
        #expect(walk.step == nil)
        #expect(walk.cursor == nil)
    }

    @Test func `an empty last page covers the rest of the keys`() {
        var walk = MigrationWalk(of: root)
        _ = walk.readPage(of: 100, endingAt: key("m"), bytes: 100)
        let range = walk.readPage(of: 0, endingAt: nil, bytes: 4)
        #expect(range == .init(path: root, after: key("m"), through: nil))
        #expect(walk.step == .priority(root))
    }

    @Test func `a location without children is read as a value`() {
        var walk = MigrationWalk(of: root)
        _ = walk.readPage(of: 0, endingAt: nil, bytes: 4)
        #expect(walk.step == .value(root))
    }

    @Test func `a page aims at one size`() {
        var walk = MigrationWalk(of: root)
        _ = walk.readPage(of: 100, endingAt: key("a"), bytes: 100 * (64 << 10))
        #expect(walk.step == .page(root, after: key("a"), limit: 8))
        for name in ["b", "c", "d", "e", "f", "g", "h"] {
            guard case .page(_, _, let limit) = walk.step else { break }
            _ = walk.readPage(of: limit, endingAt: key(name), bytes: limit)
        }
        #expect(walk.step == .page(root, after: key("h"), limit: 5_000))
    }

    @Test func `a child that is too large is read by itself, and then what follows it`() {
        var walk = MigrationWalk(of: root)
        walk.pageWasTooLarge()
        #expect(walk.step == .page(root, after: nil, limit: 12))
        walk.pageWasTooLarge()
        walk.pageWasTooLarge()
        #expect(walk.step == .key(root, after: nil))
        #expect(walk.readKey(key("big")) == .init(path: root, after: nil, before: key("big")))
        #expect(walk.step == .page(path("big"), after: nil, limit: 1))
        #expect(walk.cursor == .init(path: path("big"), after: nil))
        _ = walk.readPage(of: 0, endingAt: nil, bytes: 4)
        walk.readEnd()
        #expect(walk.step == .page(root, after: key("big"), limit: 1))
    }

    @Test func `a large child that is gone leaves the rest without keys`() {
        var walk = MigrationWalk(of: root)
        for _ in 0..<3 { walk.pageWasTooLarge() }
        #expect(walk.readKey(nil) == .init(path: root, after: nil))
        #expect(walk.step == .priority(root))
    }

    @Test func `an interrupted walk resumes below a location`() {
        var walk = MigrationWalk(
            of: path("a"), from: .init(path: path("a", "b", "c"), after: key("k")))
        #expect(walk.step == .page(path("a", "b", "c"), after: key("k"), limit: 100))
        for parent in [("c", path("a", "b")), ("b", path("a"))] {
            _ = walk.readPage(of: 0, endingAt: nil, bytes: 4)
            walk.readEnd()
            #expect(walk.step == .page(parent.1, after: key(parent.0), limit: 100))
        }
        _ = walk.readPage(of: 0, endingAt: nil, bytes: 4)
        walk.readEnd()
        #expect(walk.step == nil)
    }
}
