import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

/// A request of a client with an identity: reads and writes of few locations, of which rules permit
/// about half.
enum UserRequest {
    case put(Path, Value)
    case merge(Path, [Write])
    case push(Path, Value)
    case get(Path, Query)
    case listen(Path, Query)
    case transact(Path, Value, Condition)
    case onDisconnect(Path, Value)
    case cancelOnDisconnect(Path)
    /// Sends another credential.
    case shows(Credential)

    var isRead: Bool {
        switch self {
        case .get, .listen: true
        default: false
        }
    }
}

/// Draws what clients with identities do.
enum UserProgram {
    static let names = ["u1", "u2", "u3"]
    static let rooms = ["a", "b"]
    private static let root = "guarded"

    /// Some of the locations that users read.
    static let probes: [Path] = [
        path(), path("rooms"), path("roles"), path("rooms", "a"), path("rooms", "b"),
        path("rooms", "a", "lines"), path("users"), path("users", "u1"), path("users", "u2"),
        path("notes"),
    ]

    static func path(_ keys: String...) -> Path {
        Path(([root] + keys).map { Key(unchecked: $0) })
    }

    static func identity(_ random: inout SplitMix64) -> UserIdentity {
        switch random.index(below: 8) {
        case 0: .administrator
        case 1: .signedOut
        default: .user(name(&random))
        }
    }

    /// The next credential of a client.
    ///
    /// - Parameter mayBeBad: Whether it may be an invalid token.
    static func credential(
        at now: Microseconds, mayBeBad: Bool = false, _ random: inout SplitMix64
    ) -> Credential {
        let lifetime = random.index(below: 5) == 0 ? 1 + random.number(below: 2) : 3_600
        let isBad = mayBeBad && random.index(below: 3) == 0
        let forms = isBad ? TokenForm.bad : TokenForm.good
        let identity = identity(&random)
        let form = forms[random.index(below: forms.count)]
        let hasSecret = !isBad && identity == .administrator && random.index(below: 2) == 0
        return Credential(
            identity, at: now, lifetime: lifetime, actsAs: random.index(below: 4) == 0,
            form: hasSecret ? nil : form)
    }

    private static func name(_ random: inout SplitMix64) -> String {
        names[random.index(below: names.count)]
    }

    private static func room(_ random: inout SplitMix64) -> String {
        rooms[random.index(below: rooms.count)]
    }

    /// A user, most often the client itself.
    private static func somebody(_ own: UserIdentity, _ random: inout SplitMix64) -> String {
        if case .user(let uid, _) = own, random.index(below: 3) > 0 { return uid }
        return name(&random)
    }

    /// The next request of a client.
    static func next(
        _ own: UserIdentity, tag: String, at milliseconds: UInt64, _ random: inout SplitMix64
    ) -> UserRequest {
        let (path, value) = write(own, tag: tag, at: milliseconds, &random)
        switch random.index(below: 24) {
        case 0..<7: return .put(path, value)
        case 7..<10: return merge(own, tag: tag, at: milliseconds, &random)
        case 10..<12:
            let line = line(of: somebody(own, &random), tag)
            return .push(UserProgram.path("rooms", room(&random), "lines"), line)
        case 12..<15: return .get(readPath(own, &random), query(&random))
        case 15..<20: return .listen(readPath(own, &random), query(&random))
        case 20:
            let guess: Value = [.null, .integer(1), .integer(2)][random.index(below: 3)]
            let place = UserProgram.path("users", somebody(own, &random), "age")
            let isLocal = random.index(below: 2) == 0
            return .transact(
                place, .integer(Int64(random.number(below: 4)) - 1),
                Condition(DataHash(of: guess), isLocal: isLocal, patienceMilliseconds: 1_000))
        case 21, 22:
            return .onDisconnect(
                UserProgram.path("rooms", room(&random), "gone", somebody(own, &random)),
                .string(tag))
        default: return .cancelOnDisconnect(UserProgram.path("rooms"))
        }
    }

    private static func readPath(
        _ own: UserIdentity, _ random: inout SplitMix64
    ) -> Path {
        switch random.index(below: 7) {
        case 0: path("users", somebody(own, &random))
        case 1: path("rooms", room(&random), "lines")
        case 2: path("notes")
        case 3: probes[random.index(below: probes.count)]
        default: path("rooms", room(&random))
        }
    }

    private static func query(_ random: inout SplitMix64) -> Query {
        let (kind, count) = (random.index(below: 12), 1 + random.index(below: 5))
        let bounds: [Value] = [.integer(1), .boolean(true), .string("c"), .null]
        let bound = bounds[random.index(below: bounds.count)]
        do {
            return switch kind {
            case 0..<6: Query()
            case 6: try Query().orderedByKey().limited(toFirst: count)
            case 7: try Query().orderedByValue().equal(to: bound)
            case 8: try Query().ordered(byChild: "age").starting(at: bound)
            case 9: try Query().ordered(byChild: "by").ending(at: bound)
            default: try Query().limited(toLast: count)
            }
        } catch {
            preconditionFailure("a query that is drawn is valid: \(error)")
        }
    }

    private static func line(of author: String, _ tag: String) -> Value {
        var line = Value.null
        line.set(.string(author), at: Path([Key(unchecked: "by")]))
        line.set(.string(tag), at: Path([Key(unchecked: "text")]))
        return line
    }

    private static func flag(_ random: inout SplitMix64) -> Value {
        [.null, .boolean(true), .boolean(true)][random.index(below: 3)]
    }

    /// A location on which a right may depend while it has no data.
    private static func collection(_ random: inout SplitMix64) -> Path {
        switch random.index(below: 4) {
        case 0: path("roles")
        case 1: path("notes")
        case 2: path("rooms", room(&random), "lines")
        default: path("rooms", room(&random), "members")
        }
    }

    private static func write(
        _ own: UserIdentity, tag: String, at milliseconds: UInt64, _ random: inout SplitMix64
    ) -> (Path, Value) {
        switch random.index(below: 19) {
        case 17: return (collection(&random), .null)
        case 12: return (path("rooms", room(&random)), wholeRoom(own, tag, &random))
        case 13:
            let isOfRooms = random.index(below: 2) == 0
            var whole = Value.null
            for _ in 0...1 {
                let name = isOfRooms ? room(&random) : somebody(own, &random)
                let part = isOfRooms ? wholeRoom(own, tag, &random) : user(tag, &random)
                whole.set(part, at: Path([Key(unchecked: name)]))
            }
            return (path(isOfRooms ? "rooms" : "users"), whole)
        // Most listens rest on these.
        case 0, 1, 14, 15:
            return (path("rooms", room(&random), "members", somebody(own, &random)), flag(&random))
        case 2, 16: return (path("rooms", room(&random), "open"), flag(&random))
        case 3:
            let role: Value = [.null, .string("editor"), .string("guest")][random.index(below: 3)]
            return (path("roles", somebody(own, &random)), role)
        case 4: return (path("users", somebody(own, &random), "name"), .string(tag))
        case 5:
            let ages: [Value] = [.integer(1), .integer(-1), .deferred(.increment(.integer(1)))]
            return (path("users", somebody(own, &random), "age"), ages[random.index(below: 3)])
        case 6:
            let times: [Value] = [
                .deferred(.timestamp), .integer(Int64(milliseconds) + 60_000), .integer(1),
            ]
            return (path("notes", somebody(own, &random)), times[random.index(below: 3)])
        case 7: return (path("users", somebody(own, &random)), user(tag, &random))
        case 8: return (path("rooms", room(&random)), flag(&random))
        default: return (path("rooms", room(&random), "topic"), .string(tag))
        }
    }

    /// A room with all that is below it.
    private static func wholeRoom(
        _ own: UserIdentity, _ tag: String, _ random: inout SplitMix64
    ) -> Value {
        var room = Value.null
        room.set(.string(tag), at: Path([Key(unchecked: "topic")]))
        room.set(flag(&random), at: Path([Key(unchecked: "open")]))
        let author = somebody(own, &random)
        room.set(flag(&random), at: Path(["members", author].map { Key(unchecked: $0) }))
        if random.index(below: 2) == 0 {
            let line = line(of: author, tag)
            room.set(line, at: Path(["lines", tag].map { Key(unchecked: $0) }))
        }
        return room
    }

    private static func user(_ tag: String, _ random: inout SplitMix64) -> Value {
        var user = Value.null
        user.set(.string(tag), at: Path([Key(unchecked: "name")]))
        let second = ["age", "other"][random.index(below: 2)]
        user.set(.integer(Int64(random.number(below: 3)) - 1), at: Path([Key(unchecked: second)]))
        return user
    }

    /// An update of two places, each of which needs its own permission.
    private static func merge(
        _ own: UserIdentity, tag: String, at milliseconds: UInt64, _ random: inout SplitMix64
    ) -> UserRequest {
        let first = write(own, tag: tag, at: milliseconds, &random)
        var second = write(own, tag: tag, at: milliseconds, &random)
        for _ in 0..<4 where first.0.contains(second.0) || second.0.contains(first.0) {
            second = write(own, tag: tag, at: milliseconds, &random)
        }
        if first.0.contains(second.0) || second.0.contains(first.0) {
            return .put(first.0, first.1)
        }
        let writes = [first, second].map { path, value in
            Write(path: path.relative(to: UserProgram.path()), value: value)
        }
        return .merge(UserProgram.path(), writes)
    }
}
