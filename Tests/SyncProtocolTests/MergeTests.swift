import DataTree
import SyncProtocol
import Testing

@Suite struct MergeTests {
    @Test(arguments: [
        (["a", "a/b"], "contains a path /a that is ancestor of another path /a/b"),
        (["a/b/c", "x", "a/d", "a"], "contains a path /a that is ancestor of another path /a/b/c"),
        (["a/.priority", "a"], "contains a path /a that is ancestor of another path /a/.priority"),
        (["a/b", "/a//b/"], "contains the path /a/b twice"),
        (["a", ""], "contains an empty path"),
    ])
    func `writes that contain each other are refused by name`(paths: [String], words: String) throws
    {
        let writes = try paths.map { Write(path: try Path($0), value: .integer(1)) }
        let failure = try #require(Write.failure(inMerge: writes, at: .root))
        #expect(failure.problem.contains(words), "\(failure.problem)")
    }

    @Test func `neighbours do not contain each other`() throws {
        let paths = ["a", "ab", "a0", "b/c", "b/d/e", "b/d/f", ".priority"]
        let writes = try paths.map { Write(path: try Path($0), value: .integer(1)) }
        #expect(Write.failure(inMerge: writes, at: .root) == nil)
    }

    @Test func `the joined path keeps the limits`() throws {
        let base = Path((0..<20).map { Key(unchecked: "k\($0)") })
        let write = Write(path: Path((0..<13).map { Key(unchecked: "k\($0)") }), value: .null)
        let failure = try #require(Write.failure(inMerge: [write], at: base))
        #expect(failure.problem.contains("33 keys deep"))
    }

    @Test func `the sorted check finds what comparing every pair finds`() {
        var random = Seeded(3)
        for _ in 0..<3_000 {
            let writes = (0..<6).map { _ in
                let keys = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    Key(unchecked: ["a", "b", "c"].randomElement(using: &random)!)
                }
                return Write(path: Path(keys), value: .null)
            }
            let clash = writes.indices.contains { one in
                writes.indices.contains { $0 != one && writes[one].path.contains(writes[$0].path) }
            }
            #expect((Write.conflict(in: writes) != nil) == clash)
        }
    }
}
