internal import DataTree
internal import HTTPText
internal import JSONText
internal import SyncProtocol

/// Why a request is not done, and what its author can do about that.
///
/// The body of the answer is `{ "error" : …, "detail" : …, "fix" : … }`: clients of Firebase read `error`, and some compare it.
struct RestFailure: Error, Equatable {
    /// The status of the answer.
    let status: Int
    /// What is wrong: Firebase's own text, where it has one.
    let problem: String
    /// The problem with this request, if Firebase's text does not name it.
    var detail: String?
    /// The remedy for the author of the request.
    var fix: String?
    /// The reason of a refusal by rules, as lines in a header of their own. Only administrators acting as users get it.
    var denial: String?

    /// The address at which the client repeats the request; nil without a redirect.
    var location: String?
    /// Why clients cannot use the database here; nil if that is not the reason.
    var absence: DatabaseAbsence?
    /// Whether the request names a database that the node will not have.
    var namesNoDatabase = false
    /// The name of a database that is not there, or not any longer; nil for other failures.
    var absentDatabase: DatabaseName?

    /// Whether the answer waits a moment, because a limit refuses the request: a client that goes on at once costs others little
    /// then.
    var isPaced = false

    /// Whether a client may expect that the same request succeeds soon.
    var isPassing: Bool { status == 503 || status == 429 }

    /// The body of the answer.
    var body: [UInt8] {
        var text = "{ \"error\" : \(RestFailure.quoted(problem))"
        if let detail { text += ", \"detail\" : \(RestFailure.quoted(detail))" }
        if let fix { text += ", \"fix\" : \(RestFailure.quoted(fix))" }
        return Array((text + " }\n").utf8)
    }

    private static func quoted(_ text: String) -> String { JSONWriter.text(of: .string(text)) }
}

// MARK: - What a request can lack

extension RestFailure {
    static func invalid(_ problem: String, detail: String? = nil, fix: String? = nil) -> RestFailure
    {
        RestFailure(status: 400, problem: problem, detail: detail, fix: fix)
    }

    /// A target that cannot be decoded.
    init(_ error: TargetError) {
        self = .invalid(
            error.problem, fix: "percent-encode each part of the URI, as UTF-8")
    }

    /// A path that no location has.
    static func path(_ error: DataError) -> RestFailure {
        .invalid("Invalid path: Invalid token in path", detail: error.problem, fix: error.fix)
    }

    /// A body that is no data.
    static func data(_ detail: String, fix: String) -> RestFailure {
        .invalid(
            "Invalid data; couldn't parse JSON object, array, or value. "
                + "Perhaps you're using invalid characters in your key names.",
            detail: detail, fix: fix)
    }

    static let noData = RestFailure.invalid(
        "Error: No data supplied.", fix: "send a JSON value as the body; null removes")

    static let writeToPriority = RestFailure.invalid(
        "Invalid path: Invalid token in path", detail: "a priority has no children",
        fix: "write to .priority by PUT or DELETE")

    /// A node that cannot do the request now.
    static func unavailable(_ reason: String) -> RestFailure {
        RestFailure(
            status: 503, problem: "This node cannot do this at present: \(reason).",
            fix: "try again in a second, or use another node")
    }
}

// MARK: - What a replica refuses

extension RestFailure {
    /// The answer to a request that the replica refused.
    ///
    /// - Parameter isWrite: Whether the request was to write data.
    init(_ code: ErrorCode, _ problem: String, fix: String, isWrite: Bool) {
        switch code {
        case .invalid where isWrite: self = .data(problem, fix: fix)
        // Too many transactions wait at the node. This one is valid, and no node has executed it.
        case .tooBig where isWrite: self.init(status: 503, problem: problem, fix: fix)
        case .tooBig: self.init(status: 400, problem: problem, fix: fix, isPaced: true)
        case .invalid, .version: self = .invalid(problem, fix: fix)
        case .tooMany: self.init(status: 429, problem: problem, fix: fix, isPaced: true)
        case .full: self.init(status: 507, problem: problem, fix: fix, isPaced: true)
        case .changed: self.init(status: 412, problem: problem, fix: fix)
        case .permissionDenied:
            self = .permissionDenied
            denial = RestFailure.reasons(in: problem)
        case .unavailable, .noMajority, .behind, .late:
            self.init(status: 503, problem: problem, fix: fix)
        // Clients repeat what is answered by 503 or 500: a write that may have been done must not be one of these.
        case .undecided, .notStable: self.init(status: 504, problem: problem, fix: fix)
        }
    }

    /// The reasons below the first line of a denial, as the text of a header; nil without.
    private static func reasons(in problem: String) -> String? {
        let lines = problem.split(separator: "\n").dropFirst()
        if lines.isEmpty { return nil }
        return lines.joined(separator: "; ").asHeader
    }
}

extension String {
    /// The most characters of a text in a header, of which proxies take some kilobytes.
    private static let headerLimit = 2_000

    /// The text as the value of a header, which is printable ASCII.
    var asHeader: String {
        unicodeScalars.prefix(String.headerLimit)
            .map { $0.value >= 0x20 && $0.value < 0x7F ? String($0) : $0.escaped }.joined()
    }
}

extension Unicode.Scalar {
    /// As JSON escapes it.
    fileprivate var escaped: String {
        utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
