internal import DataTree
internal import SyncProtocol

/// The room of a `ChatBenchmark`: its rules, its members, and its messages.
struct ChatRoom {
    /// How many of the last messages each client sees.
    static let shown = 50
    /// More messages than clients see, so that each new message also removes one from what they see.
    private static let olderMessages = 2 * shown

    /// Members of the room read its last messages. They add messages of certain parts in their own name, with the time of the
    /// node, and change none.
    static let rules = """
        {"rules": {"bench": {"chat": {"messages": {"$room": {
          ".read": "root.child('bench/chat/members').child($room).child(auth.uid).exists() \
        && query.limitToLast <= \(shown)",
          "$message": {
            ".write": "!data.exists() \
        && root.child('bench/chat/members').child($room).child(auth.uid).exists()",
            ".validate": "newData.hasChildren(['author', 'text', 'time', 'n'])",
            "author": {".validate": "newData.val() == auth.uid"},
            "text": {".validate": "newData.isString() && newData.val().length <= 500"},
            "time": {".validate": "newData.val() == now"},
            "n": {".validate": "newData.isNumber()"},
            "$other": {".validate": false}
          }
        }}}}}}
        """

    static let path = Path([Key(unchecked: "bench"), Key(unchecked: "chat")])
    private static let room = Key(unchecked: "lobby")
    private static let messagesKey = Key(unchecked: "messages")
    static let messages = path.appending(messagesKey).appending(room)

    let clients: Int

    /// The user of a client.
    static func user(_ client: Int) -> String { "user-\(client)" }

    /// The members, and the older messages.
    var content: Value {
        var members = Children()
        for client in 0..<clients { members[Key(unchecked: Self.user(client))] = .boolean(true) }
        var messages = Children()
        var keys = PushIDGenerator()
        var random = SystemRandomNumberGenerator()
        for number in 0..<Self.olderMessages {
            let time = 1_700_000_000_000 + UInt64(number)
            var message = Self.message(from: number % clients)
            message[Self.time] = .integer(Int64(time))
            messages[keys.next(at: time, random: &random)] = Value(message)
        }
        var content = Children()
        content[Key(unchecked: "members")] = Self.inRoom(members)
        content[Self.messagesKey] = Self.inRoom(messages)
        return Value(content)
    }

    private static func inRoom(_ children: Children) -> Value {
        var rooms = Children()
        rooms[room] = Value(children)
        return Value(rooms)
    }

    private static let time = Key(unchecked: "time")

    /// A message as its author writes it, without its number.
    static func message(from client: Int) -> Children {
        var message = Children()
        message[Key(unchecked: "author")] = .string(user(client))
        message[Key(unchecked: "text")] = .string(
            "a message of the length that people type into a chat")
        message[time] = .deferred(.timestamp)
        return message
    }
}
