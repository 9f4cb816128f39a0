internal import DataTree
internal import HTTPText
internal import JSONText
internal import SyncProtocol

/// A report that an administrator, or partly a monitor, can request from a node, by one request to the replica.
enum NodeReport: Equatable {
    /// `/metrics`.
    case metrics
    /// `/status`: the status of the node as JSON.
    case status
    /// `/.settings/rules/status.json`: which rules the node enforces, since when, and which members have them.
    case rulesStatus
    /// `/.settings/rules/history.json`: the last rules that have arrived at the node.
    case rulesHistory
    /// `/.inspect/coverage.json` and the page `/.inspect/coverage`: the values of the parts of the rules. POST
    /// starts to count, DELETE ends it.
    case coverage(CoverageRequest.Action, isPage: Bool)
    /// `/.inspect/databases.json`: the node's databases with their use. The names are in the form of Firebase's emulator.
    case databases
    /// GET of `/.settings/databases/NAME.json`: the nodes that hold the database, as this node knows.
    case placement(DatabaseName)
    /// PUT to `/.settings/databases/NAME.json`: creates the database, and is answered once the node serves it.
    case creation(DatabaseName)
    /// DELETE of `/.settings/databases/NAME.json`: removes the database for ever.
    case removal(DatabaseName)

    /// The report at a path; nil if it has none.
    ///
    /// - Throws: if the request does something else than to read it.
    init?(_ head: RequestHead) throws(RestFailure) {
        switch head.target.pathText {
        case "/metrics": self = .metrics
        case "/status": self = .status
        case "/.settings/rules/status.json": self = .rulesStatus
        case "/.settings/rules/history.json": self = .rulesHistory
        case "/.inspect/coverage": self = .coverage(.read, isPage: true)
        case "/.inspect/coverage.json":
            self = .coverage(try CoverageRequest.Action(head), isPage: false)
            return
        case NodeReport.databasesPath: self = .databases
        default:
            guard let name = try head.changedDatabase() else { return nil }
            switch head.method {
            case .delete: self = .removal(name)
            case .put: self = .creation(name)
            default: self = .placement(name)
            }
            return
        }
        try head.checkIsRead()
    }

    /// The path of the list of databases, as in Firebase's emulator.
    static let databasesPath = "/.inspect/databases.json"

    /// Whether it shows the use of databases.
    var showsUses: Bool { self == .metrics || self == .databases }

    /// Whether a node reports it before it serves data.
    var isAlwaysTold: Bool { isForMonitors }

    /// Whether monitors may read it: it shows no data and no rules.
    var isForMonitors: Bool { self == .metrics || self == .status }
}

extension CoverageRequest.Action {
    fileprivate init(_ head: RequestHead) throws(RestFailure) {
        switch head.method {
        case .get, .head: self = .read
        case .post: self = .begin
        case .delete: self = .end
        default:
            throw RestFailure(
                status: 405, problem: "Coverage can be read, started and ended.",
                fix: "use GET, POST or DELETE")
        }
    }
}

/// A request for a report, until the replica has answered.
struct ReportExchange {
    private let report: NodeReport
    private let id: UInt64

    init(_ report: NodeReport, _ numbers: inout RequestNumbers) {
        self.report = report
        id = numbers.next()
    }

    /// The request to the replica.
    var opening: [ClientMessage] {
        switch report {
        case .metrics, .status, .rulesStatus, .databases, .placement, .creation, .removal:
            [.status(id: id)]
        case .rulesHistory: [.rulesHistory(id: id)]
        case .coverage(let action, _): [.coverage(id: id, action)]
        }
    }

    func step(_ message: NodeMessage) -> Exchange.Step {
        switch message {
        case .value(id, let value):
            do throws(DataError) {
                return try shown(value)
            } catch {
                preconditionFailure("a replica's own report: \(error.problem)")
            }
        case .error(id, let code, let problem, let fix):
            return .answers(Answer(RestFailure(code, problem, fix: fix, isWrite: false)))
        default: return .waits
        }
    }

    private func shown(_ value: Value) throws(DataError) -> Exchange.Step {
        switch report {
        case .metrics: .shows(try NodeStatus(value))
        case .rulesStatus: .answers(Answer(rulesOf: try NodeStatus(value)))
        case .status, .rulesHistory, .coverage(_, isPage: false): .answers(Answer(report: value))
        case .databases: .lists
        case .placement: preconditionFailure("the gateway itself answers")
        case .creation(let name), .removal(let name): .answers(Answer(report: name.listed))
        case .coverage(_, isPage: true): .answers(Answer(page: try CoverageReport(value)))
        }
    }
}

extension RequestHead {
    /// Folder of the paths that create, remove and describe databases.
    static let databasesPath = "/.settings/databases/"

    /// The database that the request creates, removes or asks about; nil for another path.
    ///
    /// - Throws: The refusal of an invalid name, or of another method than GET, PUT and DELETE.
    func changedDatabase() throws(RestFailure) -> DatabaseName? {
        let path = target.pathText
        guard path.hasPrefix(RequestHead.databasesPath), path.hasSuffix(".json") else { return nil }
        let text = path.dropFirst(RequestHead.databasesPath.utf8.count).dropLast(".json".utf8.count)
        guard let name = DatabaseName(anyCase: String(text)) else {
            throw .databaseName(String(text))
        }
        guard [.get, .head, .put, .delete].contains(method) else {
            throw RestFailure(
                status: 405, problem: "A database can be described, created and removed here.",
                fix: "use GET, PUT or DELETE")
        }
        return name
    }
}

extension DatabaseName {
    /// The database as lists of databases show it.
    fileprivate var listed: Value { .object(named: [("name", .string(text))]) }
}

extension Answer {
    /// The answer with a report.
    fileprivate init(report: Value) {
        self.init(AnswerText(report), type: "application/json; charset=utf-8")
    }

    fileprivate init(rulesOf status: NodeStatus) {
        guard let rules = status.rules else {
            self.init(report: .null)
            return
        }
        let age = max(0, status.identity.wallMilliseconds - rules.acceptedMilliseconds)
        let members = rules.members.map { ($0.key, Value.boolean($0.value)) }
        self.init(
            report: .object(named: [
                ("node", .string(status.identity.member)), ("digest", .string(rules.digest)),
                ("acceptedMilliseconds", .integer(Int64(rules.acceptedMilliseconds))),
                ("ageMilliseconds", .integer(Int64(age))),
                ("isEnforced", .boolean(rules.isEnforced)),
                ("members", .object(named: members)),
            ]))
    }
}
