import DataTree
import GatewayCore
import JSONText
import QueryEngine
import ReplicaCore
import SyncProtocol

// The messages of clients with identities, each in the form of its protocol.

extension UserClient {
    /// The frames of a request as a Firebase client sends them.
    mutating func frames(of request: UserRequest, number: Int64) -> [UInt8] {
        socket.frames(of: request.text(number: number), &random)
    }
}

extension UserRequest {
    /// The request as a native client sends it; nil for one that no message makes.
    func message(id: UInt64) -> ClientMessage? {
        switch self {
        case .put(let path, let value): .put(id: id, path: path, value: value)
        case .merge(let path, let writes): .merge(id: id, path: path, writes: writes)
        case .push(let path, let value): .push(id: id, path: path, value: value)
        case .get(let path, let query): .get(id: id, path: path, query: query)
        case .listen(let path, let query): .listen(id: id, path: path, query: query)
        case .transact(let path, let value, let condition):
            .put(id: id, path: path, value: value, condition: condition)
        case .onDisconnect(let path, let value): .onDisconnect(id: id, path: path, value: value)
        case .cancelOnDisconnect(let path): .onDisconnectCancel(id: id, path: path)
        case .shows: nil
        }
    }

    /// The request as a Firebase client sends it.
    func text(number: Int64) -> [UInt8] {
        func place(_ path: Path) -> String { #""p":"\#(path)""# }
        func selected(_ path: Path, _ query: Query) -> String {
            guard query.isFiltered else { return place(path) + #","h":"""# }
            return place(path) + #","q":\#(query.realtimeText),"t":\#(number),"h":"""#
        }
        let (action, body): (String, String) =
            switch self {
            case .put(let path, let value): ("p", FirebaseText.put(path, value))
            case .merge(let path, let writes): ("m", FirebaseText.merge(path, writes))
            // Firebase's clients make the keys of their pushes.
            case .push(let path, let value):
                ("p", FirebaseText.put(path.appending(Key(unchecked: "p\(number)")), value))
            case .get(let path, let query):
                (
                    "g",
                    "{" + place(path)
                        + (query.isFiltered ? #","q":\#(query.realtimeText)"# : "") + "}"
                )
            case .listen(let path, let query): ("q", "{" + selected(path, query) + "}")
            case .transact(let path, let value, let condition):
                ("p", FirebaseText.put(path, value, if: condition.hash))
            case .onDisconnect(let path, let value): ("o", FirebaseText.put(path, value))
            case .cancelOnDisconnect(let path): ("oc", FirebaseText.put(path, .null))
            case .shows(let credential): credential.realtimeRequest
            }
        return FirebaseText.request(number, action, body)
    }

    /// The request as a client of REST sends it; one that REST does not have is a read.
    func rest(to host: String, showing credential: Credential) -> [UInt8] {
        let fields = credential.text.map { ["Authorization: Bearer \($0)"] } ?? []
        let (method, path, body): (String, Path, String?) =
            switch self {
            case .put(let path, let value) where value.isNull: ("DELETE", path, nil)
            case .put(let path, let value): ("PUT", path, RestText.json(value))
            case .merge(let path, let writes): ("PATCH", path, RestText.json(writes))
            case .push(let path, let value): ("POST", path, RestText.json(value))
            case .get(let path, _), .listen(let path, _), .transact(let path, _, _),
                .onDisconnect(let path, _), .cancelOnDisconnect(let path):
                ("GET", path, nil)
            case .shows: ("GET", UserProgram.path("notes"), nil)
            }
        var parameters = credential.override.map { [("auth_variable_override", $0)] } ?? []
        if case .get(_, let query) = self { parameters += query.parameters }
        return RestText.request(
            method, RestText.target(path, parameters), to: host, fields: fields, body: body)
    }

    /// The request of a stream of events at the place of a read.
    func stream(to host: String, showing credential: Credential) -> [UInt8] {
        let fields = credential.text.map { ["Authorization: Bearer \($0)"] } ?? []
        var place = UserProgram.path("notes")
        if case .listen(let path, _) = self { place = path }
        let parameters = credential.override.map { [("auth_variable_override", $0)] } ?? []
        return RestText.request(
            "GET", RestText.target(place, parameters), to: host,
            fields: fields + ["Accept: text/event-stream"])
    }
}

extension Query {
    /// The parameters of REST; none for everything.
    fileprivate var parameters: [(String, String)] {
        guard isFiltered else { return [] }
        let orderText =
            switch order {
            case .key: "$key"
            case .value: "$value"
            case .priority: "$priority"
            case .child(let path): path.keys.map(\.text).joined(separator: "/")
            }
        var parameters = [("orderBy", "\"\(orderText)\"")]
        if let start { parameters.append(("startAt", RestText.json(start.value))) }
        if let end { parameters.append(("endAt", RestText.json(end.value))) }
        if let limit {
            parameters.append((limit.isFirst ? "limitToFirst" : "limitToLast", "\(limit.count)"))
        }
        return parameters
    }
}

extension Credential {
    /// The action and the body by which a Firebase client shows it.
    fileprivate var realtimeRequest: (String, String) {
        guard let text else { return ("unauth", "{}") }
        let user = override.map { #","authvar":\#($0)"# } ?? ""
        return (
            text == Credential.secret ? "gauth" : "auth",
            #"{"cred":"\#(text)"\#(user)}"#
        )
    }
}
