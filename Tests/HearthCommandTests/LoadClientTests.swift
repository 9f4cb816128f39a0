import DataTree
import HTTPText
import Rules
import Sockets
import SyncProtocol
import TLS
import Testing

@testable import LoadTools

/// The bytes that clients of benchmarks send, and what they read.
@Suite struct LoadClientTests {
    private static let address = HTTPAddress("http://127.0.0.1:7001")!
    private static let path = Path([Key(unchecked: "bench"), Key(unchecked: "list")])
    private static let last = ListenTarget(path: path, lastChildren: 50)
    private static let tree: Value = {
        var tree = Value.null
        tree.set(ChatRoom(clients: 3).content, at: ChatRoom.path)
        return tree
    }()
    private static let secret = Secret("e30.e30.")!

    private func opening(
        _ listenProtocol: ListenProtocol, _ target: ListenTarget, _ secret: Secret? = nil
    ) -> String {
        let bytes = listenProtocol.opening(to: Self.address, at: target, showing: secret)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The texts of the frames that sign in and listen.
    private func messages(_ target: ListenTarget, _ secret: Secret?) throws -> [String] {
        var random = SystemRandomNumberGenerator()
        let bytes = ListenProtocol.firebase.listen(at: target, showing: secret, using: &random)
        var reader = WebSocketReader(isMasked: true, messageLimit: 10_000)
        return bytes.withUnsafeBytes { bytes in
            var (rest, texts) = (bytes, [String]())
            while let event = reader.next(in: &rest) {
                if case .text(let text) = event {
                    texts.append(String(decoding: text, as: UTF8.self))
                }
            }
            return texts
        }
    }

    @Test func `an event stream has its query and its token in the address`() {
        let plain = opening(.events, ListenTarget(path: Self.path))
        #expect(plain.hasPrefix("GET /bench/list.json HTTP/1.1\r\n"))
        let line = "GET /bench/list.json?orderBy=%22%24key%22&limitToLast=50&auth=e30.e30. HTTP/1.1"
        #expect(opening(.events, Self.last, Self.secret).hasPrefix(line + "\r\n"))
    }

    @Test func `a native client has its token in the header, and no other client has`() {
        let header = "\r\nAuthorization: Bearer e30.e30.\r\n"
        #expect(opening(.native, Self.last, Self.secret).contains(header))
        #expect(!opening(.native, Self.last).contains("Authorization"))
        #expect(!opening(.firebase, Self.last, Self.secret).contains("e30"))
    }

    @Test func `a client of Firebase's protocol signs in before it listens`() throws {
        let auth = #"{"t":"d","d":{"r":1,"a":"auth","b":{"cred":"e30.e30."}}}"#
        let listen =
            #"{"t":"d","d":{"r":2,"a":"q","b":{"p":"/bench/list","q":{"l":50,"vf":"r","i":".key"},"t":1,"h":""}}}"#
        #expect(try messages(Self.last, Self.secret) == [auth, listen])
        let plain = try messages(ListenTarget(path: Self.path), nil)
        #expect(plain == [#"{"t":"d","d":{"r":2,"a":"q","b":{"p":"/bench/list","h":""}}}"#])
    }

    @Test func `a room has more messages than clients see`() {
        let content = ChatRoom(clients: 3).content
        let messages = content[Key(unchecked: "messages")][Key(unchecked: "lobby")].children
        #expect(messages.count == 100)
        #expect(messages.allSatisfy { $0.value[RecordReader.number].isNull })
        let members = content[Key(unchecked: "members")][Key(unchecked: "lobby")].children
        #expect(members.map { "\($0.key)" } == ["user-0", "user-1", "user-2"])
    }

    @Test(arguments: [
        ("user-1", "user-1", true), ("user-1", "user-2", false), ("user-3", "user-3", false),
    ])
    func `rules of a room let members write in their own name`(
        user: String, author: String, isAllowed: Bool
    ) throws {
        let before = Self.tree
        var message = ChatRoom.message(from: 0)
        message[Key(unchecked: "author")] = .string(author)
        message[Key(unchecked: "time")] = .integer(1)
        message[RecordReader.number] = .integer(0)
        let path = ChatRoom.messages.appending(Key(unchecked: "new"))
        let situation = RuleSituation(
            auth: .user(user), now: 1, before: before,
            write: RuleWrite(Value(message), at: path))
        let rules = try Ruleset(Array(ChatRoom.rules.utf8))
        #expect(rules.evaluate(.write(path), in: situation).isAllowed == isAllowed)
    }

    @Test(arguments: [("user-1", 50, true), ("user-1", 51, false), ("user-3", 50, false)])
    func `rules of a room let members read the last messages`(
        user: String, limit: Int, isAllowed: Bool
    ) throws {
        var query = QueryShape()
        query.limitToLast = limit
        let data = Self.tree
        let situation = RuleSituation(auth: .user(user), now: 1, data: data, query: query)
        let rules = try Ruleset(Array(ChatRoom.rules.utf8))
        #expect(rules.evaluate(.read(ChatRoom.messages), in: situation).isAllowed == isAllowed)
    }
}
