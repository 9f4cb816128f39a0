import DataTree
import ReplicaCore
import Rules
import SyncProtocol
import Testing

/// Listens that were permitted, until they are no longer.
@Suite struct ListenAccessTests {
    private let user = RuledReplica.user
    private let guest = RuledReplica.guest
    private let administrator = RuledReplica.administrator

    private func put(_ path: Path, _ value: Value) -> Input {
        .requested(ClientMessage.put(id: 1, path: path, value: value).frame, by: administrator)
    }

    /// A room that its members may read, and one of them.
    private func room() -> RuledReplica {
        let rules =
            #"{"rooms": {"$r": {".read": "root.child('members/' + $r).hasChild(auth.uid)"}}}"#
        return RuledReplica(
            rules, data: ["rooms": ["a": ["text": 1]], "members": ["a": ["u1": true, "u2": true]]])
    }

    @Test func `a listen ends when its client signs out, and shows nothing more`() {
        var node = RuledReplica(#"{"x": {".read": "auth != null"}}"#)
        _ = node.ask(.listen(id: 5, path: "x"), by: user)
        let told = node.told([.identified(user, .anonymous), put("x", 1)])
        #expect(told[user]?.map(\.code) == [.permissionDenied])
        #expect(node.told([.identified(user, .user(.user("u1"))), put("x", 2)])[user] == nil)
    }

    @Test func `a listen stays when another user may read as well`() {
        var node = RuledReplica(#"{"x": {".read": "auth != null"}}"#)
        _ = node.ask(.listen(id: 5, path: "x"), by: user)
        let told = node.told([.identified(user, .user(.user("u2"))), put("x", 1)])
        #expect(told[user] == [.change(listen: 5, writes: [Write(path: .root, value: 1)])])
    }

    @Test func `new rules check listens again, except those of administrators`() {
        var node = RuledReplica(#"{"x": {".read": true}, "y": {".read": true}}"#)
        _ = node.ask(.listen(id: 5, path: "x"), by: guest)
        _ = node.ask(.listen(id: 6, path: "y"), by: guest)
        _ = node.ask(.listen(id: 7, path: "x"))
        let stricter = RuledReplica.document(#"{"y": {".read": true}}"#)
        let change = ClientMessage.setRules(id: 1, source: stricter).frame
        let told = node.told([
            .requested(change, by: administrator), put("x", 1), put("y", 1),
        ])
        #expect(told[guest]?.map(\.code) == [.permissionDenied, nil])
        #expect(told[administrator]?.contains { $0.code != nil } == false)
        #expect(told[administrator]?.count == 4)
    }

    @Test func `a listen ends before it shows the change that took its permission`() {
        var node = room()
        _ = node.ask(.listen(id: 5, path: "rooms/a"), by: user)
        let writes = [
            Write(path: "members/a/u1", value: .null), Write(path: "rooms/a/text", value: 2),
        ]
        let leave = ClientMessage.merge(id: 1, path: .root, writes: writes).frame
        let told = node.told([.requested(leave, by: administrator), put("rooms/a/text", 3)])
        #expect(told[user]?.map(\.code) == [.permissionDenied])
        #expect(node.told([put("members/a/u1", true), put("rooms/a/text", 4)])[user] == nil)
    }

    @Test(arguments: ["members/a/u2", "members/b", "rooms/b", "rooms/a/text"] as [Path])
    func `changes that a verdict does not depend on keep it`(_ path: Path) {
        var node = room()
        _ = node.ask(.listen(id: 5, path: "rooms/a"), by: user)
        let told = node.told([put(path, .null), put("rooms/a/more", 1)])
        #expect(told[user]?.allSatisfy { $0.code == nil } == true)
    }

    @Test(arguments: ["members/a/u1", "members/a", "members", ""] as [Path])
    func `a verdict is revoked by changes at its location and above it`(_ path: Path) {
        var node = room()
        _ = node.ask(.listen(id: 5, path: "rooms/a"), by: user)
        let told = node.told([put(path, path.isRoot ? ["rooms": ["a": 1]] : .null)])
        #expect(told[user]?.map(\.code) == [.permissionDenied])
    }

    @Test(arguments: [
        ("data.child('open').val() == true", "x/open", Value.boolean(false), Path("x/open")),
        ("data.child('keep').exists()", "x/keep/a", .null, Path("x/keep/a")),
        ("data.hasChildren(['a', 'b'])", "x/b", .null, Path("x/b")),
        ("data.getPriority() == 7", "x/.priority", 8, Path("x")),
        ("data.parent().child('y').isString()", "y", 1, Path("y")),
        ("root.child('y').val().length == 3", "y", .string("four"), Path("y")),
        ("(auth.uid == 'u1' ? data : root).child('open').isBoolean()", "x/open", 1, Path("x")),
        ("data.hasChild('keep/a')", "x/keep", 1, Path("x/keep")),
    ])
    func `each way to look at data is noticed`(
        rule: String, changed: Path, value: Value, watched: Path
    ) {
        let content: Value = ["open": true, "keep": ["a": 1], "a": 1, "b": 1]
        var node = RuledReplica("{\"x\": {\".read\": \"\(rule)\"}}", data: ["y": .string("abc")])
        _ = node.ask(.put(id: 1, path: "x", value: content.prioritized(7)))
        #expect(node.permits(.listen(id: 5, path: "x"), by: user) == true, "\(rule)")
        let told = node.told([put(changed, value)])
        #expect(told[user]?.first?.code == .permissionDenied, "\(rule)")
    }

    @Test(arguments: [.null, 1] as [Value])
    func `the appearance of several children at once is noticed`(before: Value) {
        let rules =
            #"{"x": {".read": "root.child('y').val() == null || root.child('y').isNumber()"}}"#
        var node = RuledReplica(rules)
        _ = node.ask(.put(id: 1, path: "y", value: before))
        _ = node.ask(.listen(id: 5, path: "x"), by: user)
        let writes = [Write(path: "a", value: 1), Write(path: "b", value: 1)]
        let merge = ClientMessage.merge(id: 1, path: "y", writes: writes).frame
        let told = node.told([.requested(merge, by: administrator)])
        #expect(told[user]?.map(\.code) == [.permissionDenied])
    }

    @Test func `a slow client gets no data that it may no longer read`() {
        var node = RuledReplica(#"{"x": {".read": "root.child('open').val() == true"}}"#)
        _ = node.told([.opened(user), put("open", true)])
        _ = node.told([.requestedMessages([.listen(id: 5, path: "x")], by: user)])
        _ = node.told([.backpressured(user)])
        _ = node.told([put("x", 1)])
        _ = node.told([.requestedMessages([.get(id: 6, path: "x")], by: user), put("open", false)])
        let told = node.told([.writable(user)])[user] ?? []
        #expect(told.allSatisfy { $0.code == .permissionDenied })
        #expect(told.count == 2)
    }

    @Test func `a listen that its client ends is forgotten`() {
        var node = room()
        _ = node.ask(.listen(id: 5, path: "rooms/a"), by: user)
        _ = node.ask(.unlisten(id: 6, listen: 5), by: user)
        #expect(node.told([put("members", .null)])[user] == nil)
    }
}
