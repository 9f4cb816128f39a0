internal import DataTree
internal import JSONText
internal import QueryEngine
internal import Rules
internal import SyncProtocol
internal import Tokens

/// The messages that a Firebase client gets, as JSON.
enum RealtimeText {
    static let pong = Array(#"{"t":"c","d":{"t":"o","d":{}}}"#.utf8)

    /// The first message on a WebSocket to which a session changes from long polls.
    static let acknowledgedSwitch = Array(#"{"t":"c","d":{"t":"a","d":{}}}"#.utf8)

    /// The last message by long polls of a session that changes to a WebSocket.
    static let endedTransmission = Array(#"{"t":"c","d":{"t":"n","d":{}}}"#.utf8)

    /// The first message of a session.
    static func handshake(wallMilliseconds: UInt64, host: String, session: String) -> [UInt8] {
        let text =
            #"{"t":"c","d":{"t":"h","d":{"ts":\#(wallMilliseconds),"v":"5","h":\#(quoted(host)),"s":"\#(session)"}}}"#
        return Array(text.utf8)
    }

    /// Sends the client to another host.
    static func redirect(to host: String) -> [UInt8] { control("r", host) }

    /// The message that the client logs before its connection ends.
    static let tooLarge = error(
        "The specified payload is too large, please request a location with less data.")

    /// A reason that the client logs before its connection ends; it connects again.
    static func error(_ reason: String) -> [UInt8] { control("e", reason) }

    /// Ends a session for good: the client logs the reason, and does not connect again.
    static func shutdown(_ reason: String) -> [UInt8] { control("s", reason) }

    private static func control(_ type: String, _ text: String) -> [UInt8] {
        Array(#"{"t":"c","d":{"t":"\#(type)","d":\#(quoted(text))}}"#.utf8)
    }

    static func quoted(_ text: String) -> String { JSONWriter.text(of: .string(text)) }

    /// The answer to a request; `payload` is JSON.
    static func response(
        _ number: Int64, status: String = "ok", payload: String = "\"\""
    ) -> [UInt8] {
        Array(#"{"t":"d","d":{"r":\#(number),"b":{"s":"\#(status)","d":\#(payload)}}}"#.utf8)
    }

    /// The answer to a request whose path is none, as Firebase gives it.
    static func misplaced(_ number: Int64) -> [UInt8] {
        response(number, status: "invalid_parameters", payload: quoted("Invalid token in path"))
    }

    /// The payload of the answer to a listen by an order without an index: clients print a warning.
    static let indexWarning = #"{"w":["no_index"]}"#

    /// The answer to a read.
    static func response(_ number: Int64, value: Value) -> AnswerText {
        let head = #"{"t":"d","d":{"r":\#(number),"b":{"s":"ok","d":"#
        return AnswerText(value, form: .export, from: Array(head.utf8), to: Array("}}}".utf8))
    }

    /// The head of a push of what is at a path; `tail` ends it.
    private static func pushHead(_ action: String, at path: Path) -> [UInt8] {
        Array(#"{"t":"d","d":{"a":"\#(action)","b":{"p":\#(quoted(name(of: path))),"d":"#.utf8)
    }

    /// Ends a listen that its client may have no more.
    static func revocation(of key: RealtimeListens.Key) -> [UInt8] {
        let path = quoted(name(of: key.path))
        let query = key.query == Query() ? "" : #","q":[\#(key.query.realtimeText)]"#
        return Array(#"{"t":"d","d":{"a":"c","b":{"p":\#(path)\#(query)}}}"#.utf8)
    }

    /// The notice that the client's credential has expired.
    static let expiredCredential = Array(
        #"{"t":"d","d":{"a":"ac","b":{"s":"expired_token","d":"Auth token is expired."}}}"#.utf8)

    /// The reason of a refusal by rules, which the client logs; nil if it may not learn it.
    static func debugging(_ problem: String) -> [UInt8]? {
        guard let end = problem.firstIndex(of: "\n") else { return nil }
        let reasons = quoted(String(problem[end...].dropFirst()))
        return Array(#"{"t":"d","d":{"a":"sd","b":{"msg":\#(reasons)}}}"#.utf8)
    }

    /// The client's identity, as the payload of the answer to its credential.
    static func payload(of identity: Identity) -> String {
        let auth = identity.principal.auth?.json ?? "null"
        let expires = identity.expiresSeconds.flatMap { Int64(exactly: $0.rounded(.down)) }
        return #"{"auth":\#(auth)\#(expires.map { #","expires":\#($0)"# } ?? "")}"#
    }

    /// The end of a push, with the tag of its query.
    static func tail(tag: Int64?) -> [UInt8] {
        guard let tag else { return Array("}}}".utf8) }
        return Array(#","t":\#(tag)}}}"#.utf8)
    }

    /// A push of an operation's writes, relative to a path, without its end.
    ///
    /// One write is a `d` where it is, more are one `m` at the path, so that the client shows them together.
    static func push(_ writes: [Write], at path: Path) -> AnswerText {
        let writes = Write.conflict(in: writes) == nil ? writes : merged(writes)
        if writes.count == 1 {
            let head = pushHead("d", at: path.appending(writes[0].path))
            return AnswerText(pieces: [.bytes(head), json(writes[0].value)])
        }
        let update = UpdateWriter(writes, form: .export)
        return AnswerText(pieces: [.bytes(pushHead("m", at: path)), .update(update)])
    }

    /// A push of the ranges that differ from what the client holds, without its end.
    static func push(_ ranges: [ChangedRange], at path: Path) -> AnswerText {
        var pieces = [AnswerText.Piece.bytes(pushHead("rm", at: path))]
        for (index, changed) in ranges.enumerated() {
            var text = Array((index == 0 ? "[{" : "},{").utf8)
            if let after = changed.range.after { text += #""s":\#(quoted(name(of: after))),"#.utf8 }
            if let through = changed.range.through {
                text += #""e":\#(quoted(name(of: through))),"#.utf8
            }
            text += #""m":"#.utf8
            pieces += [.bytes(text), json(changed.value ?? .null)]
        }
        pieces.append(.bytes(Array((ranges.isEmpty ? "[]" : "}]").utf8)))
        return AnswerText(pieces: pieces)
    }

    /// A path as servers write it: without a slash in front.
    private static func name(of path: Path) -> String {
        path.keys.map(\.text).joined(separator: "/")
    }

    private static func json(_ value: Value) -> AnswerText.Piece {
        .json(JSONWriter(value, form: .export))
    }

    /// Writes that do the same, in order, none at or below another.
    private static func merged(_ writes: [Write]) -> [Write] {
        var merged: [Write] = []
        for write in writes {
            if let upper = merged.firstIndex(where: { $0.path.contains(write.path) }) {
                let path = write.path.relative(to: merged[upper].path)
                merged[upper].value.set(write.value, at: path)
            } else {
                merged.removeAll { write.path.contains($0.path) }
                merged.append(write)
            }
        }
        return merged
    }
}

extension ErrorCode {
    /// The status by which Firebase's clients know a failure.
    var realtimeStatus: String {
        switch self {
        case .invalid, .version: "failure"
        case .tooBig: "too_big"
        case .tooMany: "too_many"
        case .full: "write_too_big"
        case .changed: "datastale"
        case .permissionDenied: "permission_denied"
        case .unavailable, .late, .undecided, .behind, .notStable, .noMajority: "unavailable"
        }
    }
}
