import DataTree
import Testing

@Suite struct ValidationTests {
    static func nested(_ depth: Int, in value: Value = 1) -> Value {
        (0..<depth).reduce(value) { value, _ in ["k": value] }
    }

    static func problem(_ value: Value, at path: Path) -> String? {
        do throws(DataError) {
            try value.validate(at: path)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test func `path and data together are at most 32 keys deep`() {
        #expect(Self.problem(Self.nested(32), at: .root) == nil)
        #expect(Self.problem(Self.nested(30), at: "a/b") == nil)
        #expect(Self.problem(Self.nested(31), at: "a/b") != nil)
        #expect(Self.problem(Self.nested(32, in: [".value": 1, ".priority": 2]), at: .root) == nil)
    }

    @Test func `the joined path is at most 768 bytes`() throws {
        let long = String(repeating: "k", count: 700)
        let fits = try Value(members: [(String(repeating: "x", count: 67), 1)])
        let exceeds = try Value(members: [(String(repeating: "x", count: 68), 1)])
        #expect(Self.problem(fits, at: try Path(parsing: long)) == nil)
        #expect(Self.problem(exceeds, at: try Path(parsing: long)) != nil)
        #expect(Self.problem(exceeds, at: .root) == nil)
    }

    @Test func `a path that was joined from others is too long for a leaf as well`() {
        let deep = Path((0..<32).map { Key(index: $0) })
        let long = Path((0..<3).map { _ in Key(unchecked: String(repeating: "x", count: 255)) })
        for value in [1, .null] as [Value] {
            #expect(Self.problem(value, at: deep) == nil)
            #expect(Self.problem(value, at: deep.appending(.priority)) == nil)
            #expect(Self.problem(value, at: deep.appending(Key(index: 0))) != nil)
            #expect(Self.problem(value, at: long) == nil)
            #expect(Self.problem(value, at: long.appending(Key(index: 0))) != nil)
        }
    }

    @Test func `a string is at most 10 MiB`() {
        let text = String(repeating: "x", count: 10 * 1024 * 1024)
        #expect(Self.problem(.string(text), at: .root) == nil)
        #expect(Self.problem(.string(text + "x"), at: .root) != nil)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `numbers are finite, also in increments and priorities`(number: Double) {
        let failure = Value.double(number)
        #expect(Self.problem(failure, at: .root) != nil)
        #expect(Self.problem(.deferred(.increment(.double(number))), at: .root) != nil)
        #expect(Self.problem(Value.integer(1).prioritized(failure), at: .root) != nil)
    }

    @Test func `an error names the location`() {
        let value: Value = ["rooms": ["a": ["size": .double(.infinity)], "b": 1]]
        #expect(Self.problem(value, at: "x") == "invalid data at /x/rooms/a/size: inf is not data")
        let ranked: Value = ["a": Value.integer(1).prioritized(.double(.nan))]
        #expect(Self.problem(ranked, at: "x") == "invalid data at /x/a/.priority: nan is not data")
    }
}
