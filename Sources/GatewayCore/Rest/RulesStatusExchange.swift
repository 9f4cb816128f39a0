internal import DataTree
internal import JSONText
internal import SyncProtocol

/// A read of `/.settings/rules/status.json`: which rules the node enforces, since when, and which members have them.
struct RulesStatusExchange {
    /// The path at which it is answered.
    static let path = "/.settings/rules/status.json"

    private let id: UInt64

    init(_ numbers: inout RequestNumbers) { id = numbers.next() }

    /// The request to the replica.
    var opening: [ClientMessage] { [.status(id: id)] }

    func step(_ message: NodeMessage) -> Exchange.Step {
        switch message {
        case .value(id, let value):
            do throws(DataError) {
                return .answers(RulesStatusExchange.answer(try NodeStatus(value)))
            } catch {
                preconditionFailure("a replica's own status: \(error.problem)")
            }
        case .error(id, let code, let problem, let fix):
            return .answers(Answer(RestFailure(code, problem, fix: fix, isWrite: false)))
        default: return .waits
        }
    }

    private static func answer(_ status: NodeStatus) -> Answer {
        let text = status.rules.map { JSONWriter.text(of: value($0, of: status)) } ?? "null"
        return Answer(AnswerText(Array(text.utf8)), type: "application/json; charset=utf-8")
    }

    private static func value(_ rules: NodeStatus.Rules, of status: NodeStatus) -> Value {
        let age = max(0, status.identity.wallMilliseconds - rules.acceptedMilliseconds)
        let members = rules.members.map { ($0.key, Value.boolean($0.value)) }
        return .object(named: [
            ("node", .string(status.identity.member)), ("digest", .string(rules.digest)),
            ("acceptedMilliseconds", .integer(Int64(rules.acceptedMilliseconds))),
            ("ageMilliseconds", .integer(Int64(age))),
            ("isEnforced", .boolean(rules.isEnforced)),
            ("members", .object(named: members)),
        ])
    }
}
