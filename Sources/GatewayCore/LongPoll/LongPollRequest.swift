internal import HTTPText
internal import SyncProtocol

/// A request to `/.lp`: Firebase's long polling, by script elements of a web page.
///
/// Source: `firebase-websocket.md`, section 7.
enum LongPollRequest: Equatable {
    /// `start=t`: a session begins. `callback` is the number in the names of the page's functions, `last` the name of the
    /// client's session before.
    case start(callback: String?, host: String, last: String?)
    /// A poll, which is held until there is something to tell, and may bring parts of messages.
    case poll(LongPollCredential, [LongPollSegment])
    /// `disconn=t`: the page is left.
    case disconnect(LongPollCredential)
    /// `dframe=t`: a page for a hidden frame, which disconnects once it is left.
    case frame

    /// Reads a request.
    ///
    /// - Throws: why it is refused, before anything is done.
    init(_ head: RequestHead, mayLoadScript: Bool) throws(RestFailure) {
        guard head.method == .get else {
            throw RestFailure(
                status: 405, problem: "\(head.target.pathText) is only read.", fix: "use GET")
        }
        guard mayLoadScript else { throw .foreignScript }
        let parameters: QueryParameters
        do throws(TargetError) {
            parameters = try head.target.parameters()
        } catch {
            throw RestFailure(error)
        }
        if parameters.first("dframe") == "t" {
            self = .frame
        } else if parameters.first("start") == "t" {
            self = try .start(parameters, host: head.authorityText ?? "")
        } else {
            let credential = try LongPollCredential(parameters)
            self =
                parameters.first("disconn") == "t"
                ? .disconnect(credential)
                : .poll(credential, try LongPollSegment.all(in: parameters))
        }
    }

    private static func start(
        _ parameters: QueryParameters, host: String
    ) throws(RestFailure) -> LongPollRequest {
        guard parameters.first("v") ?? "5" == "5" else { throw .realtimeVersion }
        let callback = parameters.first("cb")
        if let callback {
            let isNumber = callback.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard isNumber, (1...9).contains(callback.utf8.count) else {
                throw .invalid("cb must be a number.", fix: "give a number of up to nine digits")
            }
        }
        return .start(callback: callback, host: host, last: parameters.first("ls"))
    }
}

/// The proof that a session belongs to a client: two unpredictable texts.
struct LongPollCredential: Equatable {
    let id: String
    let password: String

    init(id: String, password: String) {
        self.id = id
        self.password = password
    }

    fileprivate init(_ parameters: QueryParameters) throws(RestFailure) {
        guard let id = parameters.first("id"), let password = parameters.first("pw") else {
            throw .invalid(
                "The request names no session.", fix: "give start=t, or id and pw of a session")
        }
        self.init(id: id, password: password)
    }

    /// Whether another credential has the same password; how long that takes does not depend on where they differ.
    func hasPassword(of other: LongPollCredential) -> Bool {
        Array(password.utf8).isEqualInConstantTime(to: Array(other.password.utf8))
    }
}

/// A part of what a client sends: `seg0`, `ts0` and `d0` of a poll.
struct LongPollSegment: Equatable {
    /// The number of the segment; those of a session are numbered from 0 on.
    let number: Int
    /// How many segments the message has to which this one belongs.
    let count: Int
    /// A part of the message in base 64.
    let text: [UInt8]

    fileprivate static func all(
        in parameters: QueryParameters
    ) throws(RestFailure) -> [LongPollSegment] {
        var segments: [LongPollSegment] = []
        // The length of a request's target bounds their number.
        while let number = parameters.first("seg\(segments.count)") {
            let index = segments.count
            guard let number = Int(number), number >= 0,
                let count = parameters.first("ts\(index)").flatMap({ Int($0) }), count > 0,
                let text = parameters.first("d\(index)")
            else {
                throw .invalid(
                    "Segment \(index) is not complete.",
                    fix: "give seg\(index) and ts\(index) as numbers, and d\(index)")
            }
            segments.append(LongPollSegment(number: number, count: count, text: Array(text.utf8)))
        }
        return segments
    }
}
