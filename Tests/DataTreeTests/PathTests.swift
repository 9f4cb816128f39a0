import DataTree
import Testing

@Suite struct PathTests {
    @Test func `empty segments are dropped`() throws {
        #expect(try Path(parsing: "/a//b/") == Path(["a", "b"]))
        #expect(try Path(parsing: "") == .root)
        #expect(try Path(parsing: "///") == .root)
        #expect(try Path(parsing: "a//b").description == "/a/b")
    }

    @Test func `the priority may be named last only`() throws {
        #expect(try Path(parsing: "a/.priority").last == .priority)
        #expect(throws: DataError.self) { try Path(parsing: "a/.priority/b") }
        #expect(throws: DataError.self) { try Path(parsing: "a/.value") }
    }

    @Test func `32 keys are allowed and 33 are not`() throws {
        let deepest = String(repeating: "/k", count: 32)
        #expect(try Path(parsing: deepest).count == 32)
        #expect(try Path(parsing: deepest + "/.priority").count == 33)
        #expect(throws: DataError.self) { try Path(parsing: deepest + "/k") }
    }

    @Test func `768 bytes are allowed and 769 are not`() throws {
        let half = String(repeating: "k", count: 383)
        #expect(try Path(parsing: "\(half)/\(half)/").utf8Count == 767)
        #expect(try Path(parsing: "\(half)/\(half)k").utf8Count == 768)
        #expect(throws: DataError.self) { try Path(parsing: "\(half)/\(half)kk") }
    }

    @Test func `a location precedes its descendants`() {
        let ascending: [Path] = ["", "2", "10", "a", "a/1", "a/b", "a/b/c", "b"]
        #expect(ascending.reversed().sorted() == ascending)
    }

    @Test func `a path contains itself and its descendants`() {
        #expect(Path("a").contains("a/b"))
        #expect(Path("a").contains("a"))
        #expect(!Path("a/b").contains("a"))
        #expect(!Path("a").contains("ab"))
        #expect(Path("a/b/c").relative(to: "a") == "b/c")
        #expect(Path("a/b").parent == "a")
        #expect(Path.root.parent == nil)
    }
}
