internal import DataTree
internal import HTTPText
internal import JSONText
internal import QueryEngine
internal import SyncProtocol

/// A REST request, according to its head.
struct RestRequest: Equatable {
    /// The operation at a location.
    enum Verb: Equatable {
        /// GET and HEAD.
        case read
        /// GET with `Accept: text/event-stream`.
        case stream
        /// PUT and DELETE, which writes null.
        case put, remove
        /// PATCH.
        case merge
        /// POST.
        case push
    }

    /// What is done.
    let verb: Verb
    /// Where; only reads, puts and removals name a `.priority`.
    let path: Path
    /// Which children are shown.
    let query: Query
    /// How the answer is written.
    let form: RestForm
    /// The ETag headers.
    let tags: EntityTags
    /// On how many nodes a write has to be durable before it is answered.
    let concern: WriteConcern?
    /// How long a read waits until no earlier write can change what it shows; nil if it does not wait.
    let stableMilliseconds: UInt64?

    /// Whether the body of the request has a meaning.
    var hasBody: Bool {
        switch verb {
        case .put, .merge, .push: true
        case .read, .stream, .remove: false
        }
    }

    /// Reads the head of a request; nil if its path does not end in `.json`.
    ///
    /// - Throws: what is wrong with it, for its author. Parameters without a meaning here (`auth`, `ns`, `timeout`,
    ///   `writeSizeLimit`, …) are ignored, as clients of Firebase send them.
    /// - Parameter mayLoadScript: Whether the answer may be a script.
    init?(_ head: RequestHead, mayLoadScript: Bool, _ json: JSONReader) throws(RestFailure) {
        guard let path = try head.target.location() else { return nil }
        let parameters: QueryParameters
        do throws(TargetError) {
            parameters = try head.target.parameters()
        } catch {
            throw RestFailure(error)
        }
        self.path = path
        verb = try Verb(head, parameters)
        form = try RestForm(head, parameters, mayLoadScript: mayLoadScript)
        let selection = RestQuery(parameters, json)
        query = try verb.isRead ? selection.query(isShallow: form.isShallow) : Query()
        tags = EntityTags(head)
        concern = try WriteConcern(head)
        stableMilliseconds = try head.stableMilliseconds()
        if path.last == .priority, verb == .merge || verb == .push || verb == .stream {
            throw .writeToPriority
        }
        if tags.required != nil, verb == .merge || verb == .push { throw .conditionalVerb }
        if concern != nil, verb == .push { throw .pushWithConcern }
    }
}

extension RestRequest.Verb {
    fileprivate var isRead: Bool { self == .read || self == .stream }

    fileprivate init(_ head: RequestHead, _ parameters: QueryParameters) throws(RestFailure) {
        switch head.method {
        case .get where head.acceptsEventStream: self = .stream
        case .get, .head: self = .read
        case .put: self = .put
        case .patch: self = .merge
        case .delete: self = .remove
        case .post:
            let override =
                head.value(of: "x-http-method-override")
                ?? parameters.first("x-http-method-override")
            switch override?.uppercased() {
            case nil, "POST": self = .push
            case "PUT": self = .put
            case "PATCH": self = .merge
            case "DELETE": self = .remove
            case let other?:
                throw .invalid(
                    "X-HTTP-Method-Override cannot be \(other.prefix(32))",
                    fix: "give PUT, PATCH or DELETE")
            }
        case .options, .other:
            throw RestFailure(
                status: 405, problem: "The method \(head.method.name) is not supported.",
                fix: "use GET, PUT, POST, PATCH or DELETE")
        }
    }
}

// MARK: - Headers

extension RequestHead {
    /// Whether the client wants a stream of events rather than one answer.
    fileprivate var acceptsEventStream: Bool {
        values(of: "accept").contains { value in
            value.split(separator: ",").contains { element in
                let type = element.split(separator: ";").first ?? ""
                return type.trimmingBlanks.lowercased() == "text/event-stream"
            }
        }
    }

    /// What `Hearth-Stable: 5s` says.
    fileprivate func stableMilliseconds() throws(RestFailure) -> UInt64? {
        guard let text = value(of: "hearth-stable") else { return nil }
        if let milliseconds = UInt64(waiting: text) { return milliseconds }
        throw .invalid(
            "Hearth-Stable is not a time up to 15min: \(text.prefix(32))",
            fix: "give a limit such as 500ms, 5s or 1min")
    }
}

extension UInt64 {
    /// The milliseconds of a wait, such as `500ms`, `5s` or `1min`: 15 minutes at most, which is more than any answer is worth.
    init?(waiting text: String) {
        let units: [(suffix: String, milliseconds: UInt64)] = [
            ("ms", 1), ("min", 60_000), ("s", 1_000),
        ]
        for unit in units where text.hasSuffix(unit.suffix) {
            let (product, isTooLong) =
                UInt64(text.dropLast(unit.suffix.count))?
                .multipliedReportingOverflow(by: unit.milliseconds) ?? (0, true)
            if !isTooLong, product <= WriteConcern.longestPatienceMilliseconds {
                self = product
                return
            }
        }
        return nil
    }
}

extension WriteConcern {
    /// What `Hearth-Concern: majority` says.
    init?(_ head: RequestHead) throws(RestFailure) {
        guard let text = head.value(of: "hearth-concern") else { return nil }
        guard let concern = WriteConcern(rawValue: text) else {
            throw .invalid(
                "Hearth-Concern cannot be \(text.prefix(32))", fix: "give local, majority or all")
        }
        self = concern
    }
}

extension Substring {
    /// The text without the spaces and tabs at its ends.
    var trimmingBlanks: Substring {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}

extension RestFailure {
    fileprivate static let conditionalVerb = RestFailure.invalid(
        "if-match is not supported for this method",
        fix: "use PUT or DELETE with if-match, or PATCH and POST without it")

    fileprivate static let pushWithConcern = RestFailure.invalid(
        "Hearth-Concern is not supported for POST",
        fix: "choose the name of the child, and PUT the value there")
}
