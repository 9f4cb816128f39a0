import SyncProtocol

/// The processes that this replica refused as members, with the names that they gave: of each reason the last one.
struct Refusals: Sendable {
    /// Why a process cannot be the member that it says it is.
    enum Reason: String, CaseIterable, Sendable {
        case otherCluster
        case otherVersion
        case unknownMember
        /// The member is known at another endpoint.
        case secondOfAName
        /// It knows other members, or the same ones at other endpoints.
        case otherMembers
    }

    /// What the refused process is told.
    struct Refusal: Sendable {
        let reason: Reason
        let problem: String
        let fix: String
    }

    struct Record: Sendable {
        /// The name that it gave, and its endpoint.
        let member: String
        let endpoint: String
        let problem: String
        let fix: String
        /// How often in a row.
        let count: UInt64
        /// When it was last, on the clock that never steps.
        let milliseconds: UInt64
    }

    private var records: [Reason: Record] = [:]

    mutating func note(_ refusal: Refusal, of hello: Hello, at milliseconds: UInt64) {
        let (member, endpoint) = (hello.member.shown(100), hello.endpoint.shown(100))
        let last = records[refusal.reason]
        let isSame = last?.member == member && last?.endpoint == endpoint
        records[refusal.reason] = Record(
            member: member, endpoint: endpoint, problem: refusal.problem.shown(500),
            fix: refusal.fix.shown(500), count: (isSame ? last?.count ?? 0 : 0) + 1,
            milliseconds: milliseconds)
    }

    /// A process that was refused before is a member now.
    mutating func forget(_ hello: Hello) {
        let (member, endpoint) = (hello.member.shown(100), hello.endpoint.shown(100))
        records = records.filter { $0.value.member != member || $0.value.endpoint != endpoint }
    }

    /// In the order of the reasons.
    var all: [(reason: Reason, record: Record)] {
        Reason.allCases.compactMap { reason in records[reason].map { (reason, $0) } }
    }
}

extension String {
    /// What is kept of a text that an unknown peer sent, to be shown on terminals.
    fileprivate func shown(_ limit: Int) -> String {
        var text = ""
        for scalar in unicodeScalars.prefix(limit) {
            let isControl = scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value
            text.unicodeScalars.append(isControl ? "?" : scalar)
        }
        return text
    }
}
