import Foundation
import Testing

@testable import Hearth

/// Calls to a cluster where nothing answers: each ends when its task is cancelled, or by itself.
@Suite(.timeLimit(.minutes(1))) struct CancellationTests {
    private let place = Database(nodes: ["http://127.0.0.1:1"]).reference(withPath: "a")

    struct Call: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The state after an error of a call that has begun.
        let effect: HearthError.Effect
        let body: @Sendable (DatabaseReference) async throws(HearthError) -> Void

        init(
            _ name: String, _ effect: HearthError.Effect,
            _ body: @escaping @Sendable (DatabaseReference) async throws(HearthError) -> Void
        ) {
            testDescription = name
            self.effect = effect
            self.body = body
        }
    }

    /// Every asynchronous call of the SDK.
    static let calls: [Call] = [
        Call("getData", .none) { place async throws(HearthError) in _ = try await place.getData() },
        Call("observeSingleEvent", .none) { place async throws(HearthError) in
            _ = try await place.observeSingleEventAndPreviousSiblingKey(of: .value)
        },
        Call("waitUntilStable", .none) { place async throws(HearthError) in
            try await place.database.waitUntilStable(within: .seconds(60))
        },
        Call("setValue(Value)", .unknown) { place async throws(HearthError) in
            try await place.setValue(1 as Value)
        },
        Call("setValue(Any)", .unknown) { place async throws(HearthError) in
            try await place.setValue("text" as Any?)
        },
        Call("setValue(andPriority)", .unknown) { place async throws(HearthError) in
            try await place.setValue(1, andPriority: 2)
        },
        Call("setValue(from)", .unknown) { place async throws(HearthError) in
            try await place.setValue(from: [1, 2])
        },
        Call("setPriority", .unknown) { place async throws(HearthError) in
            try await place.setPriority(1)
        },
        Call("updateChildValues(Any)", .unknown) { place async throws(HearthError) in
            try await place.updateChildValues(["a": 1] as [AnyHashable: Any])
        },
        Call("updateChildValues(Value)", .unknown) { place async throws(HearthError) in
            try await place.updateChildValues(["a": 1] as [String: Value])
        },
        Call("removeValue", .unknown) { place async throws(HearthError) in
            try await place.removeValue()
        },
        Call("runTransactionBlock", .unknown) { place async throws(HearthError) in
            _ = try await place.runTransactionBlock { .success(withValue: $0) }
        },
        Call("onDisconnectSetValue", .unknown) { place async throws(HearthError) in
            try await place.onDisconnectSetValue(1)
        },
        Call("onDisconnectSetValue(andPriority)", .unknown) { place async throws(HearthError) in
            try await place.onDisconnectSetValue(1, andPriority: 2)
        },
        Call("onDisconnectRemoveValue", .unknown) { place async throws(HearthError) in
            try await place.onDisconnectRemoveValue()
        },
        Call("onDisconnectUpdateChildValues", .unknown) { place async throws(HearthError) in
            try await place.onDisconnectUpdateChildValues(["a": 1])
        },
        Call("cancelDisconnectOperations", .unknown) { place async throws(HearthError) in
            try await place.cancelDisconnectOperations()
        },
    ]

    private func outcome(
        of call: Call, cancelledAfter delay: Duration
    ) async -> HearthError? {
        let (begun, signal) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [place] () -> HearthError? in
            signal.finish()
            do throws(HearthError) {
                try await call.body(place)
                return nil
            } catch {
                return error
            }
        }
        for await _ in begun {}
        try? await Task.sleep(for: delay)
        task.cancel()
        return await task.value
    }

    @Test(arguments: calls)
    func `each call ends when its task is cancelled, and reports its effect`(call: Call)
        async
    {
        // Cancelled too early, it begins nothing: then it is given more time to begin.
        for milliseconds in [1, 10, 100, 1_000] {
            let error = await outcome(of: call, cancelledAfter: .milliseconds(milliseconds))
            #expect(error?.code == .cancelled)
            if error?.problem.contains("before") == true { continue }
            #expect(error?.effect == call.effect)
            #expect(error?.problem.contains("may still happen") == (call.effect == .unknown))
            return
        }
        Issue.record("the call has not begun")
    }

    @Test(arguments: calls)
    func `a task that was cancelled before begins nothing`(call: Call) async {
        let task = Task { [place] () -> HearthError? in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(HearthError) {
                try await call.body(place)
                return nil
            } catch {
                return error
            }
        }
        let error = await task.value
        #expect(error?.code == .cancelled && error?.effect == HearthError.Effect.none)
    }

    @Test(arguments: calls)
    func `on a closed connection each call fails at once`(call: Call) async {
        place.database.close()
        let error = await #expect(throws: HearthError.self) { try await call.body(place) }
        #expect(error?.code == .closed && error?.effect == HearthError.Effect.none)
    }

    @Test func `sequences end when their task is cancelled`() async {
        let (begun, signal) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [place] in
            // The local write appears at once.
            place.setValue(1) { _, _ in }
            var count = 0
            for await _ in place.events {
                count += 1
                signal.finish()
            }
            return count
        }
        for await _ in begun {}
        task.cancel()
        #expect(await task.value > 0)
        let values = Task { [place] in for try await _ in place.values {} }
        let children = Task { [place] in for await _ in place.childEvents {} }
        values.cancel()
        children.cancel()
        await children.value
        await #expect(throws: Never.self) { try await values.value }
    }

    @Test func `a read fails when no node answers in time, and at once while offline`() async {
        place.database.readTimeout = .milliseconds(50)
        let error = await #expect(throws: HearthError.self) { try await place.getData() }
        #expect(error?.code == .unreachable)
        #expect(error?.problem == "no node answers at http://127.0.0.1:1")
        place.database.readTimeout = .seconds(600)
        place.database.goOffline()
        let offline = await #expect(throws: HearthError.self) { try await place.getData() }
        #expect(offline?.code == .offline)
    }

    @Test func `a cancelled write is still seen here, and sent later`() async throws {
        let node = try TestNode()
        let database = Database(nodes: [node.url])
        database.goOffline()
        let place = database.reference(withPath: "a")
        let heard = Heard()
        place.observe(.value) { heard.add("\($0.value ?? "")") }
        let task = Task { try await place.setValue(7) }
        try heard.wait(until: "7")
        task.cancel()
        await #expect(throws: HearthError.self) { try await task.value }
        database.goOnline()
        // Behind the write, as it was asked for later.
        try await database.reference(withPath: "b").setValue(1)
        let other = Database(nodes: [node.url]).reference(withPath: "a")
        #expect(try await other.getData().value as? Int == 7)
    }
}
