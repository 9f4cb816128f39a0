import DataTree
import Foundation
import Testing

@testable import Hearth

@Suite struct PlainValueTests {
    @Test func `booleans and numbers stay what they are, also as the system's objects`() throws {
        #expect(try Value(plain: true) == .boolean(true))
        #expect(try Value(plain: 1) == .integer(1))
        #expect(try Value(plain: NSNumber(value: true)) == .boolean(true))
        #expect(try Value(plain: NSNumber(value: 1)) == .integer(1))
        #expect(try Value(plain: 2.5 as Float) == .double(2.5))
        #expect(try Value(plain: UInt64.max) == .double(18_446_744_073_709_551_616))
        #expect(try Value(plain: Int64.min) == .integer(.min))
    }

    @Test func `nothing is nil, NSNull, or an optional without a value wherever it stands`() throws
    {
        #expect(try Value(plain: nil).isNull)
        #expect(try Value(plain: NSNull()).isNull)
        let members: [String: Int?] = ["a": nil, "b": 2]
        #expect(try Value(plain: members) == ["b": 2])
        #expect(try Value(plain: [String: Any]()).isNull)
    }

    @Test func `the system's dictionaries, objects and server values are taken too`() throws {
        let members: [String: AnyObject] = [
            "n": 5 as AnyObject, "b": true as AnyObject, "s": "x" as AnyObject,
            "o": ["k": 1] as AnyObject,
        ]
        #expect(try Value(plain: members) == ["n": 5, "b": true, "s": "x", "o": ["k": 1]])
        let count = try Value(plain: ["count": ServerValue.increment(1)] as [String: Any])
        #expect(count[Key(unchecked: "count")] == .deferred(.increment(.integer(1))))
    }

    @Test func `the export form gives priorities`() throws {
        let value = try Value(plain: [".value": 5, ".priority": "p"] as [String: Any])
        #expect(value == Value.integer(5).prioritized(.string("p")))
    }

    @Test func `a value that cannot be stored is named, with its location`() throws {
        let error = #expect(throws: DataError.self) {
            try Value(plain: ["posts": [["at": Date()]]])
        }
        #expect(error?.problem.contains("posts/0/at") == true)
        #expect(error?.problem.contains("Date") == true)
    }

    @Test func `read values can be written again`() throws {
        let value: Value = ["a": [1, 2, 3], "b": ["c": 1.5, "d": false], "e": "text"]
        #expect(try Value(plain: value.plain) == value)
        let exported = Value.integer(1).prioritized(.integer(2))
        #expect(try Value(plain: exported.exported) == exported)
    }

    private struct Post: Codable, Equatable {
        var title: String
        var stars: Int
        var tags: [String]?
    }

    @Test func `Codable types are written and read, and mismatches are named`() throws {
        let post = Post(title: "Hello", stars: 3, tags: ["a", "b"])
        let value = try Value(encoding: post)
        #expect(value == ["title": "Hello", "stars": 3, "tags": ["a", "b"]])
        #expect(try value.decoded(as: Post.self) == post)
        let error = #expect(throws: HearthError.self) {
            try (["title": "Hello"] as Value).decoded(as: Post.self)
        }
        #expect(error?.problem.contains("stars") == true)
        #expect(throws: HearthError.self) { try Value(encoding: ["a/b": 1]) }
        #expect(throws: HearthError.self) { try Value(encoding: Double.nan) }
    }
}
