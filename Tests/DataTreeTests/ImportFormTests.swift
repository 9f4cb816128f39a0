import DataTree
import Testing

@Suite struct ImportFormTests {
    @Test func `empty objects and null children are no data`() throws {
        #expect(try Value(members: []) == .null)
        #expect(try Value(members: [("a", .null), (".priority", 3)]) == .null)
        #expect(try Value(members: [(".value", .null), ("a", 1)]) == ["a": 1])
    }

    @Test func `the last of equal keys wins`() throws {
        #expect(try Value(members: [("a", 1), ("b", 2), ("a", 3)]) == ["a": 3, "b": 2])
        #expect(try Value(members: [("a", 1), ("a", .null)]) == .null)
    }

    @Test func `members may come in any order and number`() throws {
        var random = SeededRandom(seed: 3)
        let members = (0..<300).map { ("key\($0)", Value.integer(Int64($0))) }
        let value = try Value(members: members.shuffled(using: &random))
        #expect(value.children.count == 300)
        #expect(value.children.map(\.key) == members.map { Key(unchecked: $0.0) }.sorted())
    }

    @Test func `elements of an array become children, null leaves a hole`() throws {
        var builder = ObjectBuilder(expectedMembers: 3)
        for (index, element) in (["x", .null, "z"] as [Value]).enumerated() {
            builder.addElement(index, element)
        }
        let value = try builder.finish()
        #expect(value == ["0": "x", "2": "z"])
    }

    @Test func `placeholders may have priorities and be priorities`() throws {
        let timestamp = try Value(members: [(".sv", "timestamp")])
        #expect(timestamp == .deferred(.timestamp))
        let increment = try Value(members: [(".sv", ["increment": -2]), (".priority", timestamp)])
        #expect(increment.content == .deferred(.increment(.integer(-2))))
        #expect(increment.priority == .deferred(.timestamp))
    }

    static let refused: [[(String, Value)]] = [
        [(".value", 1), ("a", 1)],
        [(".value", ["a": 1])],
        [(".value", [".value": 1, ".priority": 2])],
        [(".sv", "timestamp"), ("a", 1)],
        [(".sv", "timestamp"), (".value", 1)],
        [(".sv", "timestamp"), (".priority", true)],
        [(".sv", "now")],
        [(".sv", .null)],
        [(".sv", ["increment": "1"])],
        [(".sv", ["increment": 1, "b": 1])],
        [(".sv", ["increment": [".value": 1, ".priority": 1]])],
        [("a", 1), (".priority", true)],
        [("a", 1), (".priority", ["b": 1])],
        [(".other", 1)],
        [("", 1)],
        [("a/b", 1)],
    ]

    @Test(arguments: refused.indices)
    func `content without a meaning is refused`(index: Int) {
        #expect(throws: DataError.self) { try Value(members: Self.refused[index]) }
    }
}
