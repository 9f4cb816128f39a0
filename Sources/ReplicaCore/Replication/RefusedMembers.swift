import SyncProtocol

/// The processes that this replica refused as members, with their claimed names: the last one for each reason.
struct RefusedMembers: Sendable {
    /// Why a process cannot be the member that it claims to be.
    enum Reason: String, CaseIterable, Sendable {
        case otherCluster
        case otherVersion
        case unknownMember
        /// The member is known at another endpoint.
        case secondOfAName
        /// It knows other members, or the same ones at other endpoints.
        case otherMembers
    }

    /// The reason that the refused process receives.
    struct Refusal: Sendable {
        let reason: Reason
        let problem: String
        let fix: String
    }

    struct Record: Sendable {
        /// The claimed name, and the endpoint.
        let member: String
        let endpoint: String
        let problem: String
        let fix: String
        /// How often in succession.
        let count: UInt64
        /// When it was refused last, by the monotonic clock.
        let milliseconds: UInt64
    }

    private var records: [Reason: Record] = [:]

    mutating func record(_ refusal: Refusal, of hello: Hello, at milliseconds: UInt64) {
        let (member, endpoint) = (hello.member.shown(100), hello.endpoint.shown(100))
        let last = records[refusal.reason]
        let isSame = last?.member == member && last?.endpoint == endpoint
        records[refusal.reason] = Record(
            member: member, endpoint: endpoint, problem: refusal.problem.shown(500),
            fix: refusal.fix.shown(500), count: (isSame ? last?.count ?? 0 : 0) + 1,
            milliseconds: milliseconds)
    }

    /// Removes a process that was refused before and is a member now.
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
    /// The part of an unknown peer's text that is kept, safe to show on terminals.
    fileprivate func shown(_ limit: Int) -> String {
        var text = ""
        for scalar in unicodeScalars.prefix(limit) {
            let isControl = scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value
            text.unicodeScalars.append(isControl ? "?" : scalar)
        }
        return text
    }
}
