public import DataTree

/// A request of a client to a node, with the number that the answer repeats.
///
/// In a frame each is a MessagePack array: the name of the request, the id, its elements, and last, if there are
/// any, a map of options by their names. A new kind of request needs a struct with its `RequestContent`, a case of
/// `ClientRequest`, and its execution in a replica.
public struct ClientMessage: Equatable, Sendable {
    /// Any number that the client has not in use; the answer repeats it.
    public var id: UInt64
    /// The request itself.
    public var request: ClientRequest

    /// A request under a number.
    public init(id: UInt64, _ request: ClientRequest) {
        self.id = id
        self.request = request
    }
}

/// All that a client may ask of a node.
public enum ClientRequest: Equatable, Sendable {
    case get(GetRequest)
    case children(ChildrenRequest)
    case put(PutRequest)
    case merge(MergeRequest)
    case push(PushRequest)
    case listen(ListenRequest)
    case unlisten(UnlistenRequest)
    case onDisconnect(OnDisconnectRequest)
    case onDisconnectMerge(OnDisconnectMergeRequest)
    case onDisconnectCancel(OnDisconnectCancelRequest)
    case backup(BackupRequest)
    case evict(EvictRequest)
    case hello(HelloRequest)
    case awaitStable(AwaitStableRequest)
    case ping(PingRequest)
    case status(StatusRequest)
    case rules(RulesRequest)
    case setRules(SetRulesRequest)
    case explain(ExplainRequest)
    case writes(WritesRequest)
    case coverage(CoverageRequest)
    case rulesHistory(RulesHistoryRequest)
    case why(WhyRequest)
}

extension ClientRequest {
    /// The resources of a node that a request needs.
    public enum Kind: Sendable {
        /// It shows data, or changes what the session is shown.
        case read
        /// It makes an operation.
        case write
        /// It is about the members of the cluster, and needs a node that is one.
        case membership
        /// It concerns the node or the session alone.
        case local
    }

    /// Without a default, so that a new request has to say what it needs.
    public var kind: Kind {
        switch self {
        case .get, .children, .listen, .unlisten, .ping, .hello: .read
        case .put, .merge, .push: .write
        case .evict, .awaitStable, .setRules: .membership
        case .onDisconnect, .onDisconnectMerge, .onDisconnectCancel, .backup, .status, .rules,
            .explain, .coverage, .rulesHistory, .writes, .why:
            .local
        }
    }
}

extension ClientMessage {
    /// The id of a read or a write.
    public var requestID: UInt64? {
        switch request {
        case .get, .children, .put, .merge, .push: id
        default: nil
        }
    }

    /// The stamp of a write of a native client.
    public var stamp: Stamp? {
        switch request {
        case .put(let put): put.stamp
        case .merge(let merge): merge.stamp
        default: nil
        }
    }
}

// MARK: - Bytes

extension ClientMessage: FrameMessage {
    /// Appends the request as one MessagePack array.
    public func encode(into writer: inout MessagePackWriter) {
        switch request {
        case .get(let request): writer.append(request, id)
        case .children(let request): writer.append(request, id)
        case .put(let request): writer.append(request, id)
        case .merge(let request): writer.append(request, id)
        case .push(let request): writer.append(request, id)
        case .listen(let request): writer.append(request, id)
        case .unlisten(let request): writer.append(request, id)
        case .onDisconnect(let request): writer.append(request, id)
        case .onDisconnectMerge(let request): writer.append(request, id)
        case .onDisconnectCancel(let request): writer.append(request, id)
        case .backup(let request): writer.append(request, id)
        case .evict(let request): writer.append(request, id)
        case .hello(let request): writer.append(request, id)
        case .awaitStable(let request): writer.append(request, id)
        case .ping(let request): writer.append(request, id)
        case .status(let request): writer.append(request, id)
        case .rules(let request): writer.append(request, id)
        case .setRules(let request): writer.append(request, id)
        case .explain(let request): writer.append(request, id)
        case .writes(let request): writer.append(request, id)
        case .coverage(let request): writer.append(request, id)
        case .rulesHistory(let request): writer.append(request, id)
        case .why(let request): writer.append(request, id)
        }
    }

    /// Takes one request; what is wrong with it is thrown.
    public static func decode(
        from reader: inout MessagePackReader
    ) throws(FrameError) -> ClientMessage {
        let head = try reader.messageHead()
        // Names are compared one after the other: first those that come most often.
        switch head.name {
        case PutRequest.name: return try reader.request(head, ClientRequest.put)
        case PingRequest.name: return try reader.request(head, ClientRequest.ping)
        case GetRequest.name: return try reader.request(head, ClientRequest.get)
        case ChildrenRequest.name: return try reader.request(head, ClientRequest.children)
        case MergeRequest.name: return try reader.request(head, ClientRequest.merge)
        case PushRequest.name: return try reader.request(head, ClientRequest.push)
        case ListenRequest.name: return try reader.request(head, ClientRequest.listen)
        case UnlistenRequest.name: return try reader.request(head, ClientRequest.unlisten)
        case OnDisconnectRequest.name:
            return try reader.request(head, ClientRequest.onDisconnect)
        case OnDisconnectMergeRequest.name:
            return try reader.request(head, ClientRequest.onDisconnectMerge)
        case OnDisconnectCancelRequest.name:
            return try reader.request(head, ClientRequest.onDisconnectCancel)
        case BackupRequest.name: return try reader.request(head, ClientRequest.backup)
        case EvictRequest.name: return try reader.request(head, ClientRequest.evict)
        case HelloRequest.name: return try reader.request(head, ClientRequest.hello)
        case AwaitStableRequest.name: return try reader.request(head, ClientRequest.awaitStable)
        case StatusRequest.name: return try reader.request(head, ClientRequest.status)
        case RulesRequest.name: return try reader.request(head, ClientRequest.rules)
        case SetRulesRequest.name: return try reader.request(head, ClientRequest.setRules)
        case ExplainRequest.name: return try reader.request(head, ClientRequest.explain)
        case WritesRequest.name: return try reader.request(head, ClientRequest.writes)
        case CoverageRequest.name: return try reader.request(head, ClientRequest.coverage)
        case RulesHistoryRequest.name:
            return try reader.request(head, ClientRequest.rulesHistory)
        case WhyRequest.name: return try reader.request(head, ClientRequest.why)
        default: throw head.unknown(names: names)
        }
    }

    private static let names = """
        get, children, put, merge, push, listen, unlisten, onDisconnect, onDisconnectMerge, \
        onDisconnectCancel, backup, evict, hello, awaitStable, ping, status, rules, setRules, \
        explain, coverage, rulesHistory, writes, why
        """
}

extension MessagePackReader {
    /// Reads what follows the name of a request, and wraps it.
    fileprivate mutating func request<Content: RequestContent>(
        _ head: MessageHead, _ wrapped: (Content) -> ClientRequest
    ) throws(FrameError) -> ClientMessage {
        let (id, content) = try request(head, of: Content.self)
        return ClientMessage(id: id, wrapped(content))
    }
}
