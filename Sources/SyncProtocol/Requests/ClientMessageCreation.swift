public import DataTree
public import QueryEngine

// Messages in one call each.

extension ClientMessage {
    /// A message with a `GetRequest`.
    public static func get(
        id: UInt64, path: Path, query: Query = Query(), skip: Int = 0
    ) -> ClientMessage {
        ClientMessage(id: id, .get(GetRequest(path: path, query: query, skip: skip)))
    }

    /// A message with a `ChildrenRequest`.
    public static func children(
        id: UInt64, path: Path, from: Key? = nil, limit: Int? = nil
    ) -> ClientMessage {
        ClientMessage(id: id, .children(ChildrenRequest(path: path, from: from, limit: limit)))
    }

    /// A message with a `PutRequest`.
    public static func put(
        id: UInt64, path: Path, value: Value, condition: Condition? = nil,
        concern: WriteConcern? = nil, stamp: Stamp? = nil, now: UInt64? = nil
    ) -> ClientMessage {
        let put = PutRequest(
            path: path, value: value, condition: condition, concern: concern, stamp: stamp,
            now: now)
        return ClientMessage(id: id, .put(put))
    }

    /// A message with a `MergeRequest`.
    public static func merge(
        id: UInt64, path: Path, writes: [Write], concern: WriteConcern? = nil,
        stamp: Stamp? = nil, now: UInt64? = nil
    ) -> ClientMessage {
        let merge = MergeRequest(
            path: path, writes: writes, concern: concern, stamp: stamp, now: now)
        return ClientMessage(id: id, .merge(merge))
    }

    /// A message with a `PushRequest`.
    public static func push(id: UInt64, path: Path, value: Value) -> ClientMessage {
        ClientMessage(id: id, .push(PushRequest(path: path, value: value)))
    }

    /// A message with a `ListenRequest`.
    public static func listen(
        id: UInt64, path: Path, query: Query = Query(), held: HeldData? = nil,
        demandsIndex: Bool = false
    ) -> ClientMessage {
        let listen = ListenRequest(path: path, query: query, held: held, demandsIndex: demandsIndex)
        return ClientMessage(id: id, .listen(listen))
    }

    /// A message with an `UnlistenRequest`.
    public static func unlisten(id: UInt64, listen: UInt64) -> ClientMessage {
        ClientMessage(id: id, .unlisten(UnlistenRequest(listen: listen)))
    }

    /// A message with an `OnDisconnectRequest`.
    public static func onDisconnect(id: UInt64, path: Path, value: Value) -> ClientMessage {
        ClientMessage(id: id, .onDisconnect(OnDisconnectRequest(path: path, value: value)))
    }

    /// A message with an `OnDisconnectMergeRequest`.
    public static func onDisconnectMerge(id: UInt64, path: Path, writes: [Write]) -> ClientMessage {
        let merge = OnDisconnectMergeRequest(path: path, writes: writes)
        return ClientMessage(id: id, .onDisconnectMerge(merge))
    }

    /// A message with an `OnDisconnectCancelRequest`.
    public static func onDisconnectCancel(id: UInt64, path: Path) -> ClientMessage {
        ClientMessage(id: id, .onDisconnectCancel(OnDisconnectCancelRequest(path: path)))
    }

    /// A message with a `BackupRequest`.
    public static func backup(id: UInt64, name: String) -> ClientMessage {
        ClientMessage(id: id, .backup(BackupRequest(name: name)))
    }

    /// A message with an `EvictRequest`.
    public static func evict(id: UInt64, member: String) -> ClientMessage {
        ClientMessage(id: id, .evict(EvictRequest(member: member)))
    }

    /// A message with a `AwaitStableRequest`.
    public static func awaitStable(id: UInt64, milliseconds: UInt64) -> ClientMessage {
        ClientMessage(id: id, .awaitStable(AwaitStableRequest(milliseconds: milliseconds)))
    }

    /// A message with a `HelloRequest`.
    public static func hello(id: UInt64, seen: VersionVector) -> ClientMessage {
        ClientMessage(id: id, .hello(HelloRequest(seen: seen)))
    }

    /// A message with a `PingRequest`.
    public static func ping(id: UInt64) -> ClientMessage {
        ClientMessage(id: id, .ping(PingRequest()))
    }

    /// A message with a `StatusRequest`.
    public static func status(id: UInt64) -> ClientMessage {
        ClientMessage(id: id, .status(StatusRequest()))
    }

    /// A message with a `CoverageRequest`.
    public static func coverage(id: UInt64, _ action: CoverageRequest.Action) -> ClientMessage {
        ClientMessage(id: id, .coverage(CoverageRequest(action: action)))
    }

    /// A message with an `ExplainRequest`.
    public static func explain(
        id: UInt64, statement: String, source: String? = nil
    ) -> ClientMessage {
        ClientMessage(id: id, .explain(ExplainRequest(statement: statement, source: source)))
    }

    /// A message with a `RulesHistoryRequest`.
    public static func rulesHistory(id: UInt64) -> ClientMessage {
        ClientMessage(id: id, .rulesHistory(RulesHistoryRequest()))
    }

    /// A message with a `RulesRequest`.
    public static func rules(id: UInt64) -> ClientMessage {
        ClientMessage(id: id, .rules(RulesRequest()))
    }

    /// A message with a `SetRulesRequest`.
    public static func setRules(
        id: UInt64, source: String, replaced: DataHash? = nil, concern: WriteConcern? = nil,
        patienceMilliseconds: UInt64? = nil, isCheck: Bool = false
    ) -> ClientMessage {
        let request = SetRulesRequest(
            source: source, replaced: replaced, concern: concern,
            patienceMilliseconds: patienceMilliseconds, isCheck: isCheck)
        return ClientMessage(id: id, .setRules(request))
    }

    /// A message with a `WhyRequest`.
    public static func why(id: UInt64, path: Path, beyond held: VersionVector) -> ClientMessage {
        ClientMessage(id: id, .why(WhyRequest(path: path, held: held)))
    }

    /// A message with a `WritesRequest`.
    public static func writes(id: UInt64, beyond held: VersionVector) -> ClientMessage {
        ClientMessage(id: id, .writes(WritesRequest(held: held)))
    }
}
