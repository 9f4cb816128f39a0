internal import DataTree
internal import JSONText
internal import SyncProtocol

/// The written data of a REST request.
enum RestBody: Equatable {
    /// Replaces what is at the path; null removes it.
    case put(Value)
    /// Replaces what is at each of these paths below, together.
    case merge([Write])
    /// Appends a child.
    case push(Value)

    /// Reads the body of a request that writes.
    ///
    /// - Throws: Firebase's text for what is no data, with what is wrong and where.
    init(_ text: [UInt8], of request: RestRequest, _ json: JSONReader) throws(RestFailure) {
        if request.verb == .remove {
            self = .put(.null)
            return
        }
        guard let first = text.first(where: { !$0.isJSONSpace }) else { throw .noData }
        do throws(JSONError) {
            switch request.verb {
            case .merge where first == UInt8(ascii: "{"):
                self = .merge(try RestBody.writes(text, json))
            case .push: self = .push(try json.parse(text))
            default: self = .put(try json.parse(text))
            }
        } catch {
            throw .data(error.description, fix: error.fix)
        }
        try check(request)
    }

    private static func writes(
        _ text: [UInt8], _ json: JSONReader
    ) throws(JSONError) -> [Write] {
        let result: Result<[Write], JSONError> = text.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in
                try json.parseUpdate(bytes).map { Write(path: $0.path, value: $0.value) }
            }
        }
        return try result.get()
    }

    /// Checks what a replica expects of a request that is no frame.
    private func check(_ request: RestRequest) throws(RestFailure) {
        do throws(DataError) {
            switch self {
            case .put(let value):
                if request.verb == .merge, !value.isNull { throw .updateIsNoObject }
                if request.path.last == .priority {
                    _ = try ObjectBuilder.checked(priority: value)
                }
            case .merge(let writes):
                if let failure = Write.failure(inMerge: writes, at: request.path) { throw failure }
            case .push: break
            }
        } catch {
            throw .data(error.problem, fix: error.fix)
        }
    }
}

extension DataError {
    fileprivate static let updateIsNoObject = DataError(
        problem: "an update must be an object",
        fix: "send an object of paths and values, such as {\"a/b\": 1}, or PUT the value")
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool {
        self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D
    }
}

// MARK: - What was written

extension RestBody {
    /// The paths, below that of the request, at which a node resolves what is written.
    var deferredPaths: [Path] {
        switch self {
        case .put(let value): value.containsDeferred ? [.root] : []
        case .merge(let writes): writes.filter(\.value.containsDeferred).map(\.path)
        // A client learns the name alone.
        case .push: []
        }
    }

    /// The same with what the node made of it, in the order of `deferredPaths`; as it was sent where the client may not read that.
    func resolved(_ values: [Value?]) -> RestBody {
        switch self {
        case .put(let value): return .put((values.first ?? nil) ?? value)
        case .merge(var writes):
            var rest = values[...]
            for index in writes.indices where writes[index].value.containsDeferred {
                if let value = rest.popFirst() ?? nil { writes[index].value = value }
            }
            return .merge(writes)
        case .push: return self
        }
    }
}

extension Path {
    /// The keys with slashes between them: `a/b`.
    var pathText: String { keys.map(\.text).joined(separator: "/") }
}
