/// The requests of clients. A new request is a file in this folder and a row in each of the three lists here: the compiler
/// requires the second one, and a test the third.
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
    /// Calls a visitor with the content of the request.
    @inline(__always)
    func accept<Visitor: RequestVisitor>(_ visitor: inout Visitor) -> Visitor.Result {
        switch self {
        case .get(let content): visitor.visit(content)
        case .children(let content): visitor.visit(content)
        case .put(let content): visitor.visit(content)
        case .merge(let content): visitor.visit(content)
        case .push(let content): visitor.visit(content)
        case .listen(let content): visitor.visit(content)
        case .unlisten(let content): visitor.visit(content)
        case .onDisconnect(let content): visitor.visit(content)
        case .onDisconnectMerge(let content): visitor.visit(content)
        case .onDisconnectCancel(let content): visitor.visit(content)
        case .backup(let content): visitor.visit(content)
        case .evict(let content): visitor.visit(content)
        case .hello(let content): visitor.visit(content)
        case .awaitStable(let content): visitor.visit(content)
        case .ping(let content): visitor.visit(content)
        case .status(let content): visitor.visit(content)
        case .rules(let content): visitor.visit(content)
        case .setRules(let content): visitor.visit(content)
        case .explain(let content): visitor.visit(content)
        case .writes(let content): visitor.visit(content)
        case .coverage(let content): visitor.visit(content)
        case .rulesHistory(let content): visitor.visit(content)
        case .why(let content): visitor.visit(content)
        }
    }

    /// The names, and how to read what follows them. Names are compared one after the other, the most frequent first.
    static let rows = [
        RequestRow(ClientRequest.put),
        RequestRow(ClientRequest.ping),
        RequestRow(ClientRequest.get),
        RequestRow(ClientRequest.children),
        RequestRow(ClientRequest.merge),
        RequestRow(ClientRequest.push),
        RequestRow(ClientRequest.listen),
        RequestRow(ClientRequest.unlisten),
        RequestRow(ClientRequest.onDisconnect),
        RequestRow(ClientRequest.onDisconnectMerge),
        RequestRow(ClientRequest.onDisconnectCancel),
        RequestRow(ClientRequest.backup),
        RequestRow(ClientRequest.evict),
        RequestRow(ClientRequest.hello),
        RequestRow(ClientRequest.awaitStable),
        RequestRow(ClientRequest.status),
        RequestRow(ClientRequest.rules),
        RequestRow(ClientRequest.setRules),
        RequestRow(ClientRequest.explain),
        RequestRow(ClientRequest.writes),
        RequestRow(ClientRequest.coverage),
        RequestRow(ClientRequest.rulesHistory),
        RequestRow(ClientRequest.why),
    ]
}

/// Receives the content of a request with its type.
protocol RequestVisitor {
    associatedtype Result
    mutating func visit<Content: RequestContent>(_ content: Content) -> Result
}

/// The name of a request, and how to read what follows it.
struct RequestRow: Sendable {
    let name: StaticString
    let read: @Sendable (MessageHead, inout MessagePackReader) throws(FrameError) -> ClientMessage

    init<Content: RequestContent>(_ wrap: @escaping @Sendable (Content) -> ClientRequest) {
        name = Content.name
        read = { head, reader throws(FrameError) in
            let (id, content) = try reader.request(head, of: Content.self)
            return ClientMessage(id: id, wrap(content))
        }
    }
}
