import DataTree
import Testing

@Suite struct ValueTests {
    @Test func `an object that loses its last child goes, up to the root, with its priority`() {
        var tree: Value = ["a": ["b": ["c": 1, ".priority": 5]]]
        tree.set(.null, at: "a/b/c")
        #expect(tree == .null)
    }

    @Test func `writing below a primitive keeps its priority`() {
        var tree: Value = ["a": [".value": 5, ".priority": "p"]]
        tree.set(1, at: "a/b")
        #expect(tree == ["a": ["b": 1, ".priority": "p"]])
    }

    @Test(arguments: ["a/b", "a/b/c", "a/b/.priority", "x", "x/y/z"])
    func `writing nothing below a primitive changes nothing`(path: String) throws {
        var tree: Value = ["a": [".value": 5, ".priority": "p"]]
        let before = tree
        tree.set(.null, at: try Path(parsing: path))
        #expect(tree == before)
    }

    @Test func `a priority on nothing is no data`() {
        var tree: Value = ["a": [".value": 5, ".priority": "p"]]
        let before = tree
        for path: Path in ["a/b/.priority", "a/b/c/.priority", "x/.priority", "x/y/.priority"] {
            tree.set(7, at: path)
            #expect(tree == before)
        }
    }

    @Test func `a plain value drops the old priority, a write of children keeps it`() {
        var tree: Value = ["a": ["b": 1, ".priority": 3]]
        tree.set(2, at: "a/c")
        #expect(tree["a/.priority" as Path] == 3)
        tree.set(["b": 1], at: "a")
        #expect(tree["a/.priority" as Path] == .null)
    }

    @Test func `a copy does not change with its original`() {
        var tree: Value = ["a": ["b": ["c": 1, ".priority": 2]], "z": "text"]
        let copy = tree
        tree.set(9, at: "a/b/c")
        tree.set(.null, at: "z")
        #expect(copy == ["a": ["b": ["c": 1, ".priority": 2]], "z": "text"])
        #expect(tree == ["a": ["b": ["c": 9, ".priority": 2]]])
    }

    @Test func `values are equal only if their bytes are`() {
        #expect(Value.string("\u{E9}") != .string("e\u{301}"))
        #expect(
            Value.string("a long text that fills words") == .string("a long text that fills words"))
        #expect(
            Value.string("a long text that fills words") != .string("a long text that fills wordy"))
        #expect(Value.double(-0.0) != .double(0))
        #expect(Number.double(1).value == .integer(1))
        #expect(Number.double(-0.0).value == .double(-0.0))
    }
}
