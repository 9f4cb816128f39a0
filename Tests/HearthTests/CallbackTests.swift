import Foundation
import Testing

@testable import Hearth

/// On which actor, or queue, blocks are called.
@Suite(.serialized, .timeLimit(.minutes(1))) struct CallbackTests {
    private let node: TestNode
    private let database: Database
    private let ref: DatabaseReference
    private let heard = Heard()

    init() throws {
        node = try TestNode()
        database = Database(nodes: [node.url])
        ref = database.reference()
    }

    /// The state of a program whose code belongs to the main actor.
    @MainActor private final class MainModel {
        private var count = 0

        func begin(_ ref: DatabaseReference, _ heard: Heard) {
            ref.observe(.value) { snapshot in
                MainActor.preconditionIsolated()
                self.count += 1
                heard.add("main \(snapshot.value as? Int ?? 0)")
            }
        }
    }

    private actor Model {
        private var count = 0

        func begin(_ ref: DatabaseReference, _ heard: Heard) {
            ref.observe(.value) { snapshot in
                self.preconditionIsolated()
                self.count += 1
                heard.add("actor \(snapshot.value as? Int ?? 0)")
            }
        }
    }

    /// A class of no actor, which is not sendable.
    private final class Plain {
        private var count = 0

        func begin(_ ref: DatabaseReference, _ heard: Heard, on queue: DispatchQueue) {
            ref.observe(.value) { snapshot in
                dispatchPrecondition(condition: .onQueue(queue))
                self.count += 1
                heard.add("plain \(snapshot.value as? Int ?? 0)")
            }
        }
    }

    @Test func `a block is called on the actor that it stands in, and without one on the queue`()
        async throws
    {
        let queue = DispatchQueue(label: "mine")
        database.callbackQueue = queue
        try await ref.child("a").setValue(1)
        await MainModel().begin(ref.child("a"), heard)
        await Model().begin(ref.child("a"), heard)
        Plain().begin(ref.child("a"), heard, on: queue)
        try heard.wait(until: { Set($0) == ["main 1", "actor 1", "plain 1"] })
        try await ref.child("a").setValue(2)
        try heard.wait(until: { Set($0).isSuperset(of: ["main 2", "actor 2", "plain 2"]) })
    }

    @Test func `the queue is the main queue unless set`() async throws {
        #expect(database.callbackQueue.label == DispatchQueue.main.label)
        ref.observeSingleEvent(of: .value) { [heard] _ in
            dispatchPrecondition(condition: .onQueue(.main))
            heard.add("main")
        }
        try heard.wait(until: "main")
    }

    @Test func `a completion belongs to an actor, too`() async throws {
        await MainActor.run {
            ref.child("a").setValue(1) { [heard] error, place in
                MainActor.preconditionIsolated()
                heard.add("set \(error == nil)")
            }
            ref.child("a").getData { [heard] _, snapshot in
                MainActor.preconditionIsolated()
                heard.add("got \(snapshot?.value as? Int ?? 0)")
            }
        }
        try heard.wait(for: ["set true", "got 1"])
    }

    @Test func `a block is not called once its observer is removed, whatever waits for it`()
        async throws
    {
        try await ref.child("list").setValue(["a": 1, "b": 2, "c": 3])
        let list = ref.child("list")
        list.observe(.childAdded) { [heard] snapshot in
            heard.add(snapshot.key)
            list.removeAllObservers()
        }
        // At another place: it would be removed, too.
        ref.observeSingleEvent(of: .value) { [heard] _ in heard.add("value") }
        try heard.wait(for: ["a", "value"])
    }
}
