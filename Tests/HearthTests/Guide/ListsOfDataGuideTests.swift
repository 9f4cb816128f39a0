import Foundation
import Testing

@testable import Hearth

/// The guide "Work with lists of data" of Firebase's Swift SDK, row by row, against a real node.
///
/// What stands in `Blog` and its extensions is what an app has that was written for Firebase: only
/// the import differs.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ListsOfDataGuideTests {
    private let node: TestNode
    private let blog: Blog

    init() throws {
        node = try TestNode()
        blog = Blog(Database(nodes: [node.url]))
    }

    @Test func `append: a key made by time, reused in a fan-out over several places`() async throws
    {
        let key = try await blog.writeNewPost("u1", username: "Ada", title: "One", body: "…")
        let posts = try await blog.ref.child("posts").getData()
        #expect(posts.children.map(\.key) == [key])
        let copy = try await blog.ref.child("user-posts/u1").child(key).getData()
        #expect((copy.value as? [String: Any])?["author"] as? String == "Ada")
    }

    @Test func `child events: added, changed, removed, each child by itself`() async throws {
        let comments = blog.ref.child("comments")
        blog.listenForComments(commentsRef: comments)
        let first = comments.childByAutoId()
        try await first.setValue(["text": "first"])
        try await comments.childByAutoId().setValue(["text": "second"])
        try await first.child("text").setValue("FIRST")
        try await first.removeValue()
        try blog.heard.wait(for: ["added first", "added second", "changed FIRST", "removed FIRST"])
    }

    @Test func `child moved: when the ordered value changes`() async throws {
        try await blog.ref.child("posts").setValue([
            "a": ["stars": 1], "b": ["stars": 2], "c": ["stars": 3],
        ])
        let byStars = blog.ref.child("posts").queryOrdered(byChild: "stars")
        blog.listenForMoves(in: byStars)
        // A child that changes before it is known has not moved.
        _ = try await byStars.observeSingleEventAndPreviousSiblingKey(of: .value)
        try await blog.ref.child("posts/a/stars").setValue(5)
        try blog.heard.wait(for: ["moved a behind c"])
    }

    @Test func `value events: the whole list, also when one child matches`() async throws {
        try await blog.ref.child("comments").setValue(["a": 1, "b": 2])
        blog.listenForLists(_commentsRef: blog.ref.child("comments").queryEqual(toValue: nil))
        try blog.heard.wait(for: ["list a b"])
    }

    @Test func `order: by key, by value, by a child, by a nested one`() async throws {
        try await blog.fill()
        #expect(try await blog.keys(blog.posts.queryOrderedByKey()) == ["9", "10", "x", "y"])
        #expect(
            try await blog.keys(blog.posts.queryOrdered(byChild: "stars")) == ["y", "9", "x", "10"])
        let nested = blog.posts.queryOrdered(byChild: "metrics/views")
        #expect(try await blog.keys(nested) == ["10", "9", "x", "y"])
        try await blog.ref.child("scores").setValue(["a": 3, "b": 1, "c": 2])
        #expect(
            try await blog.keys(blog.ref.child("scores").queryOrderedByValue()) == ["b", "c", "a"])
    }

    @Test func `limits: the window keeps its size as children come and go`() async throws {
        let list = blog.ref.child("list")
        try await list.setValue(["a": 1, "b": 2, "c": 3])
        blog.listenForComments(commentsRef: list.queryLimited(toLast: 2))
        try blog.heard.wait(for: ["added 2", "added 3"])
        try await list.child("d").setValue(4)
        try await list.child("c").removeValue()
        try blog.heard.wait(for: [
            "added 2", "added 3", "removed 2", "added 4", "removed 3", "added 2",
        ])
    }

    @Test func `ranges: from, behind, to, before, equal, with and without a key`() async throws {
        try await blog.fill()
        let byStars = blog.posts.queryOrdered(byChild: "stars")
        #expect(try await blog.keys(byStars.queryStarting(atValue: 5)) == ["9", "x", "10"])
        #expect(try await blog.keys(byStars.queryStarting(afterValue: 5)) == ["10"])
        #expect(
            try await blog.keys(byStars.queryStarting(atValue: 5, childKey: "x")) == ["x", "10"])
        #expect(
            try await blog.keys(byStars.queryStarting(afterValue: 5, childKey: "9"))
                == ["x", "10"])
        #expect(try await blog.keys(byStars.queryEnding(atValue: 5)) == ["y", "9", "x"])
        #expect(try await blog.keys(byStars.queryEnding(beforeValue: 5)) == ["y"])
        #expect(try await blog.keys(byStars.queryEqual(toValue: 5)) == ["9", "x"])
        let page = byStars.queryStarting(atValue: 1).queryEnding(atValue: 9).queryLimited(
            toFirst: 2)
        #expect(try await blog.keys(page) == ["y", "9"])
    }

    @Test func `detach: one handle, all of a place, none of its children`() async throws {
        let place = blog.ref.child("place")
        let handle = blog.observe("first", place)
        blog.observe("second", place)
        blog.observe("child", place.child("a"))
        try await place.child("a").setValue(1)
        try blog.heard.wait(until: { Set($0).isSuperset(of: ["first 1", "second 1", "child 1"]) })
        place.removeObserver(withHandle: handle)
        try await place.child("a").setValue(2)
        try blog.heard.wait(until: { Set($0).isSuperset(of: ["second 2", "child 2"]) })
        place.removeAllObservers()
        try await place.child("a").setValue(3)
        try blog.heard.wait(until: { $0.contains("child 3") })
        #expect(!blog.heard.lines.contains("first 2") && !blog.heard.lines.contains("second 3"))
    }
}

/// The state of an app: a reference, and the content of its views.
///
/// `@unchecked` because the callbacks of one database come one after the other.
private final class Blog: @unchecked Sendable {
    var ref: DatabaseReference!
    var comments: [DataSnapshot] = []
    let heard = Heard()

    init(_ database: Database) { ref = database.reference() }

    var posts: DatabaseReference { ref.child("posts") }

    private func note(_ line: String) { heard.add(line) }

    func writeNewPost(
        _ userID: String, username: String, title: String, body: String
    ) async throws -> String {
        guard let key = ref.child("posts").childByAutoId().key else { return "" }
        let post = [
            "uid": userID,
            "author": username,
            "title": title,
            "body": body,
        ]
        let childUpdates = [
            "/posts/\(key)": post,
            "/user-posts/\(userID)/\(key)/": post,
        ]
        try await ref.updateChildValues(childUpdates)
        return key
    }

    func listenForComments(commentsRef: DatabaseQuery) {
        // Listen for new comments in the Firebase database
        commentsRef.observe(
            .childAdded,
            with: { (snapshot) -> Void in
                self.comments.append(snapshot)
                self.note("added \(self.text(snapshot))")
            })
        commentsRef.observe(
            .childChanged,
            with: { (snapshot) -> Void in
                self.note("changed \(self.text(snapshot))")
            })
        // Listen for deleted comments in the Firebase database
        commentsRef.observe(
            .childRemoved,
            with: { (snapshot) -> Void in
                self.comments.removeAll { $0.key == snapshot.key }
                self.note("removed \(self.text(snapshot))")
            })
    }

    func listenForMoves(in query: DatabaseQuery) {
        query.observe(
            .childMoved,
            andPreviousSiblingKeyWith: { snapshot, previous in
                self.note("moved \(snapshot.key) behind \(previous ?? "nothing")")
            })
    }

    func listenForLists(_commentsRef: DatabaseQuery) {
        _commentsRef.observe(.value) { snapshot in
            var line = "list"
            for child in snapshot.children {
                line += " \(child.key)"
            }
            self.note(line)
        }
    }

    @discardableResult
    func observe(_ name: String, _ place: DatabaseReference) -> DatabaseHandle {
        place.observe(.value) { snapshot in
            let value = snapshot.value as? Int ?? (snapshot.value as? [String: Any])?["a"] as? Int
            self.note("\(name) \(value ?? 0)")
        }
    }

    func fill() async throws {
        try await posts.setValue([
            "x": ["stars": 5, "metrics": ["views": 30]],
            "9": ["stars": 5, "metrics": ["views": 20]],
            "10": ["stars": 9, "metrics": ["views": 10]],
            "y": ["stars": 1, "metrics": ["views": 40]],
        ])
    }

    func keys(_ query: DatabaseQuery) async throws -> [String] {
        try await query.getData().children.map(\.key)
    }

    private func text(_ snapshot: DataSnapshot) -> String {
        if let value = snapshot.value as? [String: Any] { return value["text"] as? String ?? "" }
        return "\(snapshot.value as? Int ?? 0)"
    }
}
