import DataTree
import JSONText
import Testing

@testable import Hearth

@Suite struct DataSnapshotTests {
    private let place = Database(nodes: ["tcp://127.0.0.1:1"]).reference(withPath: "rooms/lobby")

    private func snapshot(_ json: String) throws -> DataSnapshot {
        DataSnapshot(try JSONReader().parse(json), at: place)
    }

    @Test func `children come by priority, then by key`() throws {
        let snapshot = try snapshot(
            #"{"a":{".value":1,".priority":2},"b":{".value":2,".priority":1},"10":3,"9":4}"#)
        #expect(snapshot.children.map(\.key) == ["9", "10", "b", "a"])
        #expect(snapshot.childrenCount == 4)
    }

    @Test func `a child is found by its path`() throws {
        let child = try snapshot(#"{"a":{"b":"text"}}"#).childSnapshot(forPath: "a/b")
        #expect(child.value as? String == "text")
        #expect(child.ref.description == "/rooms/lobby/a/b")
        #expect(child.exists())
        #expect(try !snapshot("{}").exists())
    }

    @Test func `an object of numbered children is an array`() throws {
        let value = try snapshot(#"["a",null,"c"]"#).value as? [Any?]
        #expect(value?.count == 3)
        #expect(value?.first as? String == "a")
    }

    @Test func `the export form shows priorities`() throws {
        let form = try snapshot(#"{".value":5,".priority":"p"}"#).valueInExportFormat()
        let members = form as? [String: Any]
        #expect(members?[".priority"] as? String == "p")
        #expect(members?[".value"] as? Int == 5)
    }

    @Test func `literals and Swift's own types make the same data`() throws {
        let literal: Value = ["a": [1, 2.5, nil, true], "b": "text", "c": [:]]
        #expect(literal == (try JSONReader().parse(#"{"a":[1,2.5,null,true],"b":"text"}"#)))
        #expect(
            try Value(plain: ["a": [1, 2.5, nil, true], "b": "text"] as [String: Any]) == literal)
        #expect(try Value(plain: ["x": [1, 2]]) == (["x": [1, 2]] as Value))
        #expect(try Value(plain: Double(3)) == .integer(3))
        #expect(throws: DataError.self) { try Value(plain: ["a/b": 1]) }
    }

    @Test func `references know their family, and new keys ascend`() {
        #expect(place.key == "lobby")
        #expect(place.parent?.description == "/rooms")
        #expect(place.root.parent == nil)
        #expect(place.parent?.child("lobby") == place)
        let keys = (0..<100).map { _ in place.childByAutoId().key ?? "" }
        #expect(keys == keys.sorted() && Set(keys).count == 100)
    }
}
