import DataTree
import Foundation
import JSONText
import Testing

@testable import Hearth

@Suite struct DataSnapshotTests {
    private let place = Database(nodes: ["http://127.0.0.1:1"]).reference(withPath: "rooms/lobby")

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
        #expect(child.ref.url == "http://127.0.0.1:1/rooms/lobby/a/b")
        #expect(child.exists())
        #expect(try !snapshot("{}").exists())
    }

    @Test func `an object of numbered children is an array, with NSNull for its holes`() throws {
        let value = try snapshot(#"["a",null,"c"]"#).value as? [Any]
        #expect(value?.count == 3)
        #expect(value?.first as? String == "a")
        #expect(value?[1] is NSNull)
    }

    @Test func `a missing value is NSNull, and nil as any other type`() throws {
        let nothing = try snapshot("null")
        #expect(nothing.value is NSNull && nothing.valueInExportFormat() is NSNull)
        #expect(nothing.value as? String == nil && nothing.value as? [String: Any] == nil)
        #expect(try nothing.data(as: Int?.self) == nil)
    }

    @Test func `numbers and truths are cast as in Firebase`() throws {
        let value = try snapshot(#"{"n":3,"x":2.5,"t":true,"s":"text"}"#).value
        let members = try #require(value as? [String: Any])
        #expect(members["n"] as? Int == 3 && members["n"] as? Double == 3)
        #expect(members["x"] as? Double == 2.5 && members["x"] as? Int == nil)
        #expect(members["t"] as? Bool == true)
        #expect((value as? NSDictionary)?["s"] as? String == "text")
    }

    @Test func `children are enumerated as by NSEnumerator`() throws {
        let snapshot = try snapshot(#"{"a":1,"b":2,"c":3}"#)
        let children = snapshot.children
        #expect((children.nextObject() as? DataSnapshot)?.key == "a")
        #expect((children.allObjects as? [DataSnapshot])?.map(\.key) == ["b", "c"])
        #expect(children.nextObject() == nil)
        #expect(snapshot.children.map(\.key) == ["a", "b", "c"])
        #expect(place.database.reference().child("x").key == "x")
        #expect(DataSnapshot(.null, at: place.root).key == "")
    }

    @Test(arguments: ["rooms/lobby", "", "a b/ü/100%/x?y=z"])
    func `a reference of a named database has a URL with its name`(path: String) throws {
        let chat = Database(nodes: ["http://127.0.0.1:1?ns=chat", "http://127.0.0.1:2?ns=chat"])
        let reference = path.isEmpty ? chat.reference() : chat.reference(withPath: path)
        #expect(
            reference.url.hasPrefix("http://127.0.0.1:1") && reference.url.hasSuffix("?ns=chat"))
        #expect(chat.reference(fromURL: reference.url) == reference)
        let other = Database(nodes: ["http://127.0.0.1:1"])
        #expect(other.reference(fromURL: reference.url) != reference)
    }

    @Test(arguments: ["rooms/lobby", "", "a b/ü/100%/x?y=z"])
    func `a reference has a URL that leads back to it`(path: String) {
        let pin = "#sha256=" + String(repeating: "a5", count: 32)
        let pinned = Database(nodes: ["https://127.0.0.1:1" + pin], secret: "hunter2")
        let reference = path.isEmpty ? pinned.reference() : pinned.reference(withPath: path)
        #expect(!reference.url.contains("sha256") && !reference.url.contains("hunter2"))
        #expect(pinned.reference(fromURL: reference.url) == reference)
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

    @Test func `references have parents and children, and new keys ascend`() {
        #expect(place.key == "lobby")
        #expect(place.parent?.url == "http://127.0.0.1:1/rooms")
        #expect(place.root.parent == nil)
        #expect(place.parent?.child("lobby") == place)
        let keys = (0..<100).map { _ in place.childByAutoId().key ?? "" }
        #expect(keys == keys.sorted() && Set(keys).count == 100)
    }
}
