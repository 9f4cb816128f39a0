internal import DataTree
internal import HTTPText
internal import JSONText
internal import Rules
internal import SyncProtocol

/// A request for `/.settings/rules.json`, where Firebase's tools read and replace the rules: a document, not data.
struct RulesDocumentRequest: Equatable {
    /// The path at which the rules are.
    static let path = "/.settings/rules.json"

    /// Whether the document in the body replaces the rules; otherwise they are read.
    let isReplacement: Bool
    /// `dryRun=true`: the document is compiled, and no more.
    let isCheck: Bool
    /// `format=strict`: the rules are read as plain JSON, without comments.
    let isStrict: Bool
    /// `warnings=true`: the answer names what is legal and hardly meant.
    let wantsWarnings: Bool
    /// `if-match` names the rules that are replaced.
    let tags: EntityTags
    /// `confirm=` or `Hearth-Concern`: on how many nodes the rules have to be durable before the answer.
    let concern: WriteConcern?
    /// `timeout=`: how long the answer waits for that.
    let patienceMilliseconds: UInt64?

    init(_ head: RequestHead) throws(RestFailure) {
        switch head.method {
        case .get, .head: isReplacement = false
        case .put: isReplacement = true
        default:
            throw RestFailure(
                status: 405, problem: "Rules can be read and replaced.", fix: "use GET or PUT")
        }
        let parameters = (try? head.target.parameters()) ?? QueryParameters([])
        isCheck = parameters.first("dryRun") == "true"
        isStrict = parameters.first("format") == "strict"
        wantsWarnings = parameters.first("warnings") == "true"
        tags = EntityTags(head)
        if let confirm = parameters.first("confirm") {
            concern = try RulesDocumentRequest.concern(named: confirm)
        } else {
            concern = try WriteConcern(head)
        }
        let timeout = isReplacement ? parameters.first("timeout") : nil
        patienceMilliseconds = try timeout.map(RulesDocumentRequest.patience)
    }
}

extension RulesDocumentRequest {
    private static func concern(named text: String) throws(RestFailure) -> WriteConcern {
        guard let concern = WriteConcern(rawValue: text) else {
            throw .invalid(
                "confirm cannot be \(text.prefix(32))", fix: "give local, majority or all")
        }
        return concern
    }

    /// A time; without a unit it counts milliseconds, as in Firebase.
    private static func patience(_ text: String) throws(RestFailure) -> UInt64 {
        guard let milliseconds = UInt64(waiting: text) ?? UInt64(waiting: text + "ms"),
            milliseconds > 0
        else {
            throw .invalid(
                "timeout is not a time from 1ms to 15min: \(text.prefix(32))",
                fix: "give a limit such as 500ms, 5s or 1min")
        }
        return milliseconds
    }
}

/// Reads or replaces the rules of the cluster.
struct RulesExchange {
    private let request: RulesDocumentRequest
    private let id: UInt64
    private let source: String
    /// The document of a cluster without rules.
    private let absent: String
    /// On how many nodes the rules were durable when the time was over, once it is asked which members lack them.
    private var shortfall: (id: UInt64, reached: WriteConcern)?

    /// - Throws: for a document that is no text, or a tag that no rules have.
    init(
        _ request: RulesDocumentRequest, _ body: [UInt8], _ numbers: inout RequestNumbers,
        orElse absent: String
    ) throws(RestFailure) {
        guard let source = String(validating: body, as: UTF8.self) else {
            throw .data("the document is not UTF-8", fix: "send it as UTF-8")
        }
        (self.request, self.source, self.absent) = (request, source, absent)
        id = numbers.next()
    }

    /// The request to the replica.
    var opening: [ClientMessage] {
        guard request.isReplacement else { return [.rules(id: id)] }
        // A tag that no document has is one that differs.
        let tag = request.tags.required
        let replaced = tag.map { _ in request.tags.requiredHash ?? DataHash(text: "?") }
        return [
            .setRules(
                id: id, source: source, replaced: replaced, concern: request.concern,
                patienceMilliseconds: request.patienceMilliseconds, isCheck: request.isCheck)
        ]
    }

    mutating func step(
        _ message: NodeMessage, _ numbers: inout RequestNumbers
    ) -> Exchange.Step {
        switch message {
        case .value(id, let value): return .answers(answer(RulesReport(value)))
        case .value(shortfall?.id, let value):
            return .answers(success(shortfall?.reached, missing: missing(by: value)))
        case .ok(id): return .answers(success(nil))
        case .acknowledged(id, let reached):
            guard let concern = request.concern, reached < concern else {
                return .answers(success(reached))
            }
            let next = numbers.next()
            shortfall = (next, reached)
            return .asks([.status(id: next)])
        // The rules are set, even if the nodes without them cannot be named.
        case .error(shortfall?.id, _, _, _): return .answers(success(shortfall?.reached))
        case .error(id, let code, let problem, let fix):
            return .answers(Answer(failure(code, problem, fix)))
        default: return .waits
        }
    }

    /// The members that lack the rules, by the node's status; nil once others have replaced them.
    private func missing(by status: Value) -> [String]? {
        guard let rules = (try? NodeStatus(status))?.rules,
            rules.digest == RulesRecord.digest(of: source)
        else { return nil }
        return rules.membersWithout
    }

    private static let type = "application/json; charset=utf-8"

    private func answer(_ report: RulesReport?) -> Answer {
        var text = report?.source ?? absent
        if request.isStrict, let plain = Ruleset.plainText(of: Array(text.utf8)) {
            text = plain
        }
        var answer = Answer(AnswerText(Array(text.utf8)), type: RulesExchange.type)
        answer.append("ETag", report?.digest ?? EntityTags.null)
        return answer
    }

    private func success(_ concern: WriteConcern?, missing: [String]? = nil) -> Answer {
        var text = #"{"status":"ok""#
        if let missing {
            let names = missing.map { JSONWriter.text(of: .string($0)) }
            text += ",\"missing\":[\(names.joined(separator: ","))]"
        }
        if request.wantsWarnings {
            let warnings = (try? Ruleset(Array(source.utf8)))?.warnings ?? []
            let texts = warnings.map { JSONWriter.text(of: .string($0.description)) }
            text += ",\"warnings\":[\(texts.joined(separator: ","))]"
        }
        var answer = Answer(AnswerText(Array((text + "}").utf8)), type: RulesExchange.type)
        if !request.isCheck { answer.append("ETag", RulesRecord.digest(of: source)) }
        if let concern { answer.append("Hearth-Concern", concern.rawValue) }
        return answer
    }

    /// Firebase names the first fault, behind which comes a line feed. A fault may quote a line feed of the document, so the
    /// faults are those of the document and not the lines of the replica's text.
    private func failure(_ code: ErrorCode, _ problem: String, _ fix: String) -> RestFailure {
        guard code == .invalid else {
            return RestFailure(code, problem, fix: fix, isWrite: false)
        }
        do throws(RulesetError) {
            _ = try Ruleset(Array(source.utf8))
            return .invalid(problem, fix: fix)
        } catch {
            let first = error.errors[0].description + "\n"
            return .invalid(first, detail: error.errors.count > 1 ? problem : nil, fix: fix)
        }
    }
}
