import DataTree
import Testing

@Suite struct CompoundHashTests {
    @Test func `a small object is one range`() {
        let hash = CompoundHash(of: ["foo": "bar"])
        #expect(hash.posts == ["foo"])
        #expect(hash.hashes == ["LmKmJmXugtGlEGoulMbz86myDNw=", ""])
    }

    @Test func `null has only the open range`() {
        let hash = CompoundHash(of: .null)
        #expect(hash.posts.isEmpty)
        #expect(hash.hashes == [""])
    }

    @Test func `a range may end after a priority, which stands in key order`() {
        let value: Value = [
            "foo": ["!beforePriority": "before", ".priority": "prio", "afterPriority": "after"],
            "qux": "qux",
        ]
        let hash = CompoundHash(of: value) { path, _ in path == "foo/.priority" }
        #expect(hash.posts == ["foo/.priority", "qux"])
        #expect(
            hash.hashes == ["TNHQ1ppp/lp/iP3WA1GOUetV77U=", "eRF6PqPUdLcnQ/J24B4ofNFSH64=", ""])
    }

    @Test func `a large object is split by its size`() throws {
        let members = (0..<500).map { ("key\(1_000 + $0)", Value.string("some text \($0)")) }
        let hash = CompoundHash(of: try Value(members: members))
        // 500 leaves of some 48 characters, in ranges of at least sqrt(100 x 14,500) or so.
        #expect((10...30).contains(hash.posts.count))
        #expect(hash.hashes.count == hash.posts.count + 1)
        #expect(hash.posts == hash.posts.sorted())
        #expect(hash.posts.last == "key1499")
    }
}
