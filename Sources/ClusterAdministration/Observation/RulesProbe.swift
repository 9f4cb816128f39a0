package import CommandLineKit
package import DataTree
package import Sockets
package import SyncProtocol

extension StatusProbe {
    /// The rules of the cluster, as a node has them; nil without.
    ///
    /// - Throws: when the node does not answer in time, or refuses.
    package func rules(
        at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> RulesReport? {
        let answer = try answer(of: address, to: .rules(id: requestID), within: limit)
        guard case .value(_, let value) = answer else { return nil }
        return RulesReport(value)
    }

    /// The last rules that have arrived at a node, the newest first.
    ///
    /// - Throws: when the node does not answer in time, or refuses.
    package func rulesHistory(
        at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> [RulesHistoryReport.Record] {
        let answer = try answer(of: address, to: .rulesHistory(id: requestID), within: limit)
        guard case .value(_, let value) = answer, let report = try? RulesHistoryReport(value) else {
            throw StatusProbe.unexpectedAnswer(of: address)
        }
        return report.records
    }

    /// Why the rules deny an operation on a node's data; empty if they permit it.
    ///
    /// - Throws: when the statement is none, or the node does not answer in time, or refuses.
    package func explain(
        _ statement: String, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> [String] {
        let answer = try answer(
            of: address, to: .explain(id: requestID, statement: statement), within: limit)
        guard case .value(_, let value) = answer else { return [] }
        return RulesVerdict(value).reasons
    }

    /// A part of the writes in the log of a node, beyond what is held already.
    ///
    /// - Throws: when the node does not answer in time, or refuses.
    package func writes(
        beyond held: VersionVector, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> LoggedWrites {
        let answer = try answer(
            of: address, to: .writes(id: requestID, beyond: held), within: limit)
        guard case .value(_, let value) = answer, let writes = try? LoggedWrites(value) else {
            throw StatusProbe.unexpectedAnswer(of: address)
        }
        return writes
    }

    /// The reasons why a location shows its value, and a part of the operations there, beyond those that are held already.
    ///
    /// - Throws: when the node does not answer in time, or refuses.
    package func why(
        _ path: Path, beyond held: VersionVector, at address: HTTPAddress, within limit: Duration
    ) throws(CommandError) -> LocationReport {
        let answer = try answer(
            of: address, to: .why(id: requestID, path: path, beyond: held), within: limit)
        guard case .value(_, let value) = answer, let report = try? LocationReport(value) else {
            throw StatusProbe.unexpectedAnswer(of: address)
        }
        return report
    }

    /// Gives the cluster other rules by a node.
    ///
    /// - Parameters:
    ///   - replaced: The digest of those that they replace, if the node is to refuse it otherwise; empty for none.
    ///   - concern: On how many nodes they have to be durable before the node answers.
    ///   - patience: How long the node waits for that; as for a write if it is nil.
    ///   - limit: How long the answer may take beyond that.
    /// - Returns: On how many they are, as far as was asked.
    /// - Throws: when the node does not answer in time, or refuses.
    package func setRules(
        _ source: String, replacing replaced: String?, at address: HTTPAddress,
        confirmedBy concern: WriteConcern, patience: Duration? = nil, within limit: Duration
    ) throws(CommandError) -> WriteConcern {
        let request = ClientMessage.setRules(
            id: requestID, source: source, replaced: replaced.map { DataHash(text: $0) },
            concern: concern, patienceMilliseconds: patience.map { UInt64($0 / .milliseconds(1)) })
        let limit = limit + (patience ?? .zero)
        guard
            case .acknowledged(_, let reached) = try answer(of: address, to: request, within: limit)
        else { return .local }
        return reached
    }

    /// The members that lack these rules, as far as a node knows; nil if it has others, or does not answer.
    package func membersWithout(
        _ source: String, at address: HTTPAddress, within limit: Duration
    ) -> [String]? {
        guard
            case .value(_, let value)? = try? answer(
                of: address, to: .status(id: requestID), within: limit),
            let rules = (try? NodeStatus(value))?.rules,
            rules.digest == RulesRecord.digest(of: source)
        else { return nil }
        return rules.membersWithout
    }
}
