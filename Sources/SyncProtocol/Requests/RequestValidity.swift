public import DataTree

extension ClientMessage {
    /// The first violation of the rules that reading a frame enforces, for a request that was made of values; nil
    /// if valid.
    public var failure: DataError? {
        switch request {
        case .put(let put): Write(path: put.path, value: put.value).failureInPriority
        case .onDisconnect(let put): Write(path: put.path, value: put.value).failureInPriority
        case .merge(let merge): ClientMessage.failure(of: merge.writes, at: merge.path)
        case .onDisconnectMerge(let merge): ClientMessage.failure(of: merge.writes, at: merge.path)
        case .push(let push): ClientMessage.failure(at: push.path)
        case .listen(let listen): ClientMessage.failure(at: listen.path)
        case .children(let children): ClientMessage.failure(at: children.path)
        case .onDisconnectCancel(let cancel): ClientMessage.failure(at: cancel.path)
        case .get, .unlisten, .backup, .evict, .hello, .awaitStable, .ping, .status,
            .rules, .setRules, .explain, .coverage, .rulesHistory, .writes, .why:
            nil
        }
    }

    private static func failure(of writes: [Write], at path: Path) -> DataError? {
        failure(at: path) ?? Write.failure(inMerge: writes, at: path)
    }

    /// A location can have something below it, as a path that ends in `.priority` cannot.
    private static func failure(at path: Path) -> DataError? {
        guard path.last == .priority else { return nil }
        return DataError(
            problem: "\(path) is not the path of a location",
            fix: "name the location whose priority it is")
    }
}
