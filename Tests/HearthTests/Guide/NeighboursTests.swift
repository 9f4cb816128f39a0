import Foundation
import Testing

@testable import Hearth

/// Further expectations of the guide's readers: transactions, presence, being offline, single events.
@Suite(.serialized, .timeLimit(.minutes(1))) struct NeighboursTests {
    private let node: TestNode
    private let database: Database
    private let ref: DatabaseReference
    private let heard = Heard()

    init() throws {
        node = try TestNode()
        database = Database(nodes: [node.url])
        ref = database.reference()
    }

    @Test func `a transaction counts stars, as in Firebase's guide`() async throws {
        try await ref.child("posts/p").setValue(
            ["starCount": 1, "stars": ["ada": true]] as [String: Any])
        let uid = "bob"
        let (isCommitted, snapshot) = try await ref.child("posts/p").runTransactionBlock({
            (currentData: MutableData) -> TransactionResult in
            if var post = currentData.value as? [String: AnyObject] {
                var stars: [String: Bool]
                stars = post["stars"] as? [String: Bool] ?? [:]
                var starCount = post["starCount"] as? Int ?? 0
                if stars[uid] != nil {
                    // Unstar the post and remove self from stars
                    starCount -= 1
                    stars.removeValue(forKey: uid)
                } else {
                    // Star the post and add self to stars
                    starCount += 1
                    stars[uid] = true
                }
                post["starCount"] = starCount as AnyObject?
                post["stars"] = stars as AnyObject?
                // Set value and report transaction success
                currentData.value = post
                return TransactionResult.success(withValue: currentData)
            }
            return TransactionResult.success(withValue: currentData)
        })
        #expect(isCommitted)
        #expect(snapshot.data == ["starCount": 2, "stars": ["ada": true, "bob": true]])
        #expect(try await ref.child("posts/p").getData().data == snapshot.data)
    }

    @Test func `concurrent transactions of two programs lose nothing`() async throws {
        let other = Database(nodes: [node.url]).reference()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for place in [ref, other] {
                group.addTask {
                    for _ in 0..<20 {
                        let (isCommitted, _) = try await place.child("n").runTransactionBlock {
                            data in
                            data.value = (data.value as? Int ?? 0) + 1
                            return .success(withValue: data)
                        }
                        #expect(isCommitted)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await ref.child("n").getData().value as? Int == 40)
    }

    @Test func `a transaction that gives up changes nothing`() async throws {
        try await ref.child("n").setValue(7)
        let (isCommitted, snapshot) = try await ref.child("n").runTransactionBlock { _ in .abort() }
        #expect(!isCommitted)
        #expect(try await ref.child("n").getData().value as? Int == 7)
        #expect(snapshot.ref == ref.child("n"))
    }

    @Test func `presence: on-disconnect writes are executed`() async throws {
        let other = Database(nodes: [node.url])
        let presence = other.reference(withPath: "online/ada")
        try await presence.setValue(true)
        try await presence.onDisconnectRemoveValue()
        try await other.reference(withPath: "seen/ada").onDisconnectSetValue(
            ServerValue.timestamp())
        ref.child("online").observe(.value) { [heard] snapshot in
            heard.add(snapshot.exists() ? "online" : "gone")
        }
        try heard.wait(until: "online")
        other.close()
        try heard.wait(until: "gone")
        #expect(try await ref.child("seen/ada").getData().value as? Int ?? 0 > 1_700_000_000_000)
    }

    @Test func `an offline write shows at once and is sent later`() async throws {
        ref.child("list").observe(.value) { [heard] snapshot in
            heard.add("\(snapshot.childrenCount)")
        }
        try heard.wait(until: "0")
        database.goOffline()
        ref.child("list").childByAutoId().setValue("first") { _, _ in }
        try heard.wait(until: "1")
        let elsewhere = Database(nodes: [node.url]).reference()
        #expect(try await !elsewhere.child("list").getData().exists())
        database.goOnline()
        elsewhere.child("list").observe(.value) { [heard] snapshot in
            heard.add("elsewhere \(snapshot.childrenCount)")
        }
        try heard.wait(until: "elsewhere 1")
    }

    @Test func `a client knows whether it is connected, and how its clock differs`() async throws {
        ref.child(".info/connected").observe(.value) { [heard] snapshot in
            heard.add("\(snapshot.value as? Bool ?? false)")
        }
        _ = try await ref.getData()
        try heard.wait(until: "true")
        database.goOffline()
        try heard.wait(until: "false")
        let offset = try await ref.child(".info/serverTimeOffset").getData().value as? Int
        #expect(abs(offset ?? .max) < 1000)
        let error = await #expect(throws: HearthError.self) {
            try await ref.child(".info/connected").setValue(true)
        }
        #expect(error?.problem.contains(".info") == true)
    }

    @Test func `a single event comes once`() async throws {
        try await ref.child("a").setValue(1)
        let (snapshot, previous) = try await ref.child("a")
            .observeSingleEventAndPreviousSiblingKey(of: .value)
        #expect(snapshot.value as? Int == 1 && previous == nil)
        ref.child("a").observeSingleEvent(of: .value) { [heard] in heard.add("\($0.value ?? "")") }
        try heard.wait(until: "1")
        try await ref.child("a").setValue(2)
        _ = try await ref.child("a").getData()
        #expect(heard.lines == ["1"])
    }

    @Test func `synced data are read without a node`() async throws {
        try await ref.child("kept").setValue(["a": 1])
        ref.child("kept").keepSynced(true)
        ref.child("kept").observeSingleEvent(of: .value) { [heard] _ in heard.add("known") }
        try heard.wait(until: "known")
        database.goOffline()
        #expect(try await ref.child("kept/a").getData().value as? Int == 1)
        ref.child("kept").keepSynced(false)
    }

    @Test func `events and values come as sequences`() async throws {
        try await ref.child("s").setValue(["a": 1, "b": 2])
        var lines: [String] = []
        for await event in ref.child("s").queryOrderedByValue().events {
            switch event {
            case .childAdded(let child, let previous):
                lines.append("+\(child.key) after \(previous ?? "-")")
            case .value(let list): lines.append("value \(list.childrenCount)")
            default: lines.append("other")
            }
            if lines.count == 3 { break }
        }
        #expect(lines == ["+a after -", "+b after a", "value 2"])
        for try await list in ref.child("s").values {
            #expect(list.childrenCount == 2)
            break
        }
    }

    private struct Post: Codable, Equatable {
        var title: String
        var stars: Int
    }

    @Test func `Codable types are stored and read`() async throws {
        let post = Post(title: "Hello", stars: 3)
        try await ref.child("post").setValue(from: post)
        #expect(try await ref.child("post").getData().data(as: Post.self) == post)
    }

    @Test func `an undone write disappears, and its writer learns it`() async throws {
        ref.child("list").observe(.value) { [heard] in heard.add("\($0.childrenCount)") }
        try heard.wait(until: "0")
        database.goOffline()
        let told = Heard()
        ref.child("list/a").setValue(1) { error, _ in told.add("\(error?.code.rawValue ?? "done")")
        }
        ref.child("list/a").onDisconnectRemoveValue { error, _ in
            told.add("\(error?.code.rawValue ?? "done")")
        }
        try heard.wait(until: "1")
        database.purgeOutstandingWrites()
        try heard.wait(for: ["0", "1", "0"])
        try told.wait(for: ["cancelled", "cancelled"])
        database.goOnline()
        #expect(try await !Database(nodes: [node.url]).reference().child("list").getData().exists())
    }
}
