internal import DataTree
internal import JSONText
internal import QueryEngine
internal import Rules
internal import SyncProtocol
internal import Tokens

/// A message of a Firebase client, version 5 of its WebSocket protocol.
enum RealtimeMessage: Equatable {
    /// `{"t":"c","d":{"t":"p","d":{}}}`
    case ping
    /// `a`: the client reads from the WebSocket to which it changes from long polls.
    case acknowledgedSwitch
    /// `n`: the last message by long polls, from which the client changes to a WebSocket.
    case endedTransmission
    case request(RealtimeRequest)
    /// One that needs no answer here.
    case other
}

/// A request behind the number by which its answer names it.
struct RealtimeRequest: Equatable {
    /// A client's request: `a`, and the members of `b`.
    enum Action: Equatable {
        /// `s`, `appcheck`, …: answered `ok`.
        case acknowledged
        /// `auth` and `gauth`: the following requests use this credential; with `authvar` and `noauth`, an
        /// administrator acts as a user.
        case authenticate(credential: String, actingAs: Claim?)
        /// `unauth`: the credential holds no more.
        case signOut
        /// `q`, and `l` of old clients.
        case listen(RealtimeListens.Key, tag: Int64?, held: HeldData?)
        /// `n`, and `u` of old clients.
        case unlisten(RealtimeListens.Key)
        /// `g`, `p`, `m`, `o`, `om`, `oc`: a request to the replica.
        case other(ClientRequest)
        /// Its path `p` is none.
        case misplaced
        /// It cannot be understood.
        case refused(DataError)
    }

    let number: Int64
    let action: Action
}

extension RealtimeRequest.Action {
    /// Whether it reads or writes data.
    var needsPermission: Bool {
        switch self {
        case .listen, .other: true
        case .acknowledged, .authenticate, .signOut, .unlisten, .misplaced, .refused: false
        }
    }
}

// MARK: - Reading

extension RealtimeMessage {
    /// How deep messages nest above data: `{"t":"d","d":{"b":{"d":…}}}`, and a level for updates.
    static let depth = Limits.depth + 2 + 4

    /// Reads a message.
    ///
    /// - Throws: `JSONError` for what is not JSON.
    init(_ text: [UInt8], by reader: JSONReader) throws(JSONError) {
        self = try reader.read(text) { RealtimeMessage($0) }
    }

    private init(_ message: JSONNode) {
        let data = message["d"]
        switch (message["t"]?.string, data?["t"]?.string, data?["r"]?.integer) {
        case ("c", "p", _): self = .ping
        case ("c", "a", _): self = .acknowledgedSwitch
        case ("c", "n", _): self = .endedTransmission
        case ("d", _, let number?):
            self = .request(RealtimeRequest(number: number, action: .init(data!)))
        default: self = .other
        }
    }
}

extension RealtimeRequest.Action {
    fileprivate init(_ data: JSONNode) {
        do throws(DataError) {
            self = try RealtimeRequest.Action.read(data["a"]?.string ?? "", data["b"])
        } catch {
            self = .refused(error)
        }
    }

    private static func authenticate(
        _ body: JSONNode?
    ) throws(DataError) -> RealtimeRequest.Action {
        var user: Claim?
        if body?["noauth"]?.boolean ?? false { user = .null }
        if user == nil, let variable = body?["authvar"] {
            do throws(Claim.Failure) {
                user = try Claim(variable)
            } catch {
                throw DataError(
                    problem: "authvar has two members of one name", fix: "send each member once")
            }
        }
        return .authenticate(credential: body?["cred"]?.string ?? "", actingAs: user)
    }

    private static func read(
        _ action: String, _ body: JSONNode?
    ) throws(DataError) -> RealtimeRequest.Action {
        switch action {
        case "s", "appcheck", "unappcheck", "unappeck": return .acknowledged
        case "auth", "gauth": return try .authenticate(body)
        case "unauth": return .signOut
        default: break
        }
        let body = try body.required("b")
        let location = try (body["p"]?.string).required("p")
        guard let path = try? Path(location) else { return .misplaced }
        switch action {
        case "q", "l":
            return .listen(
                try body.listenKey(at: path), tag: body["t"]?.integer, held: body.heldData)
        case "n", "u": return .unlisten(try body.listenKey(at: path))
        default: return .other(try body.request(action, at: path))
        }
    }
}

extension JSONNode {
    /// Reads a request for which the replica's is the same.
    fileprivate func request(
        _ action: String, at path: Path
    ) throws(DataError) -> ClientRequest {
        switch action {
        case "g": return ClientMessage.get(id: 0, path: path, query: try query).request
        case "p": return try put(at: path)
        case "m": return ClientMessage.merge(id: 0, path: path, writes: try writes).request
        case "o":
            return ClientMessage.onDisconnect(id: 0, path: path, value: try data.value()).request
        case "om":
            return ClientMessage.onDisconnectMerge(id: 0, path: path, writes: try writes).request
        case "oc": return ClientMessage.onDisconnectCancel(id: 0, path: path).request
        default:
            throw DataError(
                problem: "unknown action \"\(action.prefix(40))\"",
                fix: "send one of s, auth, gauth, unauth, appcheck, q, n, g, p, m, o, om, oc")
        }
    }
}

extension JSONNode {
    /// How long a conditional put waits for a coordinator.
    private static let patienceMilliseconds: UInt64 = 10_000

    private var data: JSONNode { get throws(DataError) { try self["d"].required("d") } }

    /// The writes of an update, whose keys are paths.
    private var writes: [Write] {
        get throws(DataError) {
            try data.update().map { Write(path: $0.path, value: $0.value) }
        }
    }

    /// A put; the member `h`, even if it is empty, makes it conditional.
    private func put(at path: Path) throws(DataError) -> ClientRequest {
        let value = try data.value()
        let condition = self["h"]?.string.map {
            Condition(
                DataHash(text: $0), patienceMilliseconds: JSONNode.patienceMilliseconds,
                waitsOnceSent: true)
        }
        return ClientMessage.put(id: 0, path: path, value: value, condition: condition).request
    }

    fileprivate func listenKey(at path: Path) throws(DataError) -> RealtimeListens.Key {
        RealtimeListens.Key(path: path, query: try query)
    }

    /// The data that the client holds; nil without any. Invalid ranges are ignored, because the whole data are sent
    /// instead.
    fileprivate var heldData: HeldData? {
        guard let hash = self["h"]?.string, !hash.isEmpty else { return nil }
        var ranges: CompoundHash?
        if let posts = self["ch"]?["ps"]?.elements, let hashes = self["ch"]?["hs"]?.elements {
            let paths = posts.compactMap { $0.string.flatMap { try? Path($0) } }
            if paths.count == posts.count {
                ranges = try? CompoundHash(posts: paths, hashes: hashes.compactMap(\.string))
            }
        }
        return HeldData(hash: DataHash(text: hash), ranges: ranges)
    }

    /// The query `q`; all children in the order of their priorities without one.
    private var query: Query {
        get throws(DataError) {
            guard let query = self["q"] else { return Query() }
            var members = QueryMembers()
            members.index = query["i"]?.string
            members.startValue = try query["sp"]?.value()
            members.startKey = query["sn"]?.string
            members.startIsInclusive = query["sin"]?.boolean
            members.endValue = try query["ep"]?.value()
            members.endKey = query["en"]?.string
            members.endIsInclusive = query["ein"]?.boolean
            members.limit = query["l"]?.integer.map { Int(clamping: $0) }
            members.viewFrom = query["vf"]?.string
            return try Query(members)
        }
    }
}

extension Optional {
    /// The member of a request that it cannot do without.
    fileprivate func required(_ name: String) throws(DataError) -> Wrapped {
        if let self { return self }
        throw DataError(
            problem: "the request has no member \"\(name)\", or not of its type",
            fix: "send what Firebase's clients send for this action")
    }
}
