import DataTree
import Foundation
import Testing

@testable import Hearth

/// References at a real node.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DatabaseReferenceTests {
    private let node: TestNode
    private let database: Database
    private let place: DatabaseReference

    init() throws {
        node = try TestNode()
        database = Database(nodes: [node.url])
        place = database.reference(withPath: "rooms/lobby")
    }

    @Test func `a value is set, read, updated and removed`() async throws {
        #expect(try await !place.getData().exists())
        try await place.setValue(["title": "Lobby", "seats": 12])
        #expect(try await place.child("title").getData().value as? String == "Lobby")
        try await place.updateChildValues(["seats": 13, "chairs/red": true, "title": nil])
        let expected: Value = ["seats": 13, "chairs": ["red": true]]
        #expect(try await place.getData().data == expected)
        try await place.removeValue()
        #expect(try await !place.getData().exists())
    }

    @Test func `a write that is refused says why and has no effect`() async throws {
        let error = await #expect(throws: HearthError.self) {
            try await place.updateChildValues(["a": 1, "a/b": 2])
        }
        #expect(error?.code == .invalid)
        #expect(error?.effect == HearthError.Effect.none)
        #expect(try await !place.getData().exists())
    }

    @Test func `children with keys of their own come in the order in which they were made`()
        async throws
    {
        for number: Int64 in 0..<20 { try await place.childByAutoId().setValue(.integer(number)) }
        let numbers = try await place.getData().children.map { $0.value as? Int }
        #expect(numbers == Array(0..<20))
    }

    @Test func `an observer receives each child and its predecessor, until it is removed`()
        async throws
    {
        let heard = Heard()
        let handle = place.observe(.childAdded) { snapshot, previous in
            heard.add("\(previous ?? "-") \(snapshot.key)=\(snapshot.data)")
        }
        try await place.setValue(["b": 1])
        try await place.child("c").setValue(2)
        try heard.wait(for: ["- b=1", "b c=2"])

        place.removeObserver(withHandle: handle)
        let other = Heard()
        place.observe(.value) { other.add("\($0.childrenCount)") }
        try await place.child("d").setValue(3)
        try other.wait(until: "3")
        #expect(heard.lines == ["- b=1", "b c=2"])
    }

    @Test func `an observer continues after its node was killed and restarted`() async throws {
        let heard = Heard()
        place.observe(.value) { heard.add("\($0.data)") }
        try await place.setValue(1)
        try heard.wait(until: "1")
        try node.kill()
        try node.start()
        #expect(try await place.getData().value as? Int == 1)
        try await place.setValue(2)
        try heard.wait(until: "2")
        #expect(heard.lines.filter { $0 == "1" }.count == 1, "nothing is told twice")
    }
}
