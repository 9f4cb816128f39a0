import DataTree
import ReplicaCore
import Store
import SyncProtocol

// The end of a schedule: no more failures happen, time passes, and the checks of a whole run judge
// this one.

extension Universe {
    /// The checks that make sense without a common clock and without the SDK's clients.
    static let checks: [Check] = [
        .replicasEqual, .everyTurnEqualsOracle, .acknowledgedWritesSurvive, .acknowledgedPushes,
        .pushKeys, .incrementsAddUp, .staysLive, .equalVectorsEqualTrees, .causalOrder,
        .restartIdentity, .noResurrection, .stableIsFinal, .stampsAscend,
    ]

    /// So many rounds may pass until all nodes are equal.
    private static let roundLimit = 150
    /// So many they have to stay so.
    private static let quietRounds = 5

    /// Judges the schedule that led here.
    consuming func judged() -> [CheckResult] {
        let converged = settle()
        var evidence = Evidence(
            scenario, History(operations: operations), recording, nodes: evidenceNodes,
            losses: [], crashes: crashes)
        evidence.watches = [ExecutionWatch(nodes.map(\.oracle))]
        evidence.converged = converged ? scenario.until : nil
        return scenario.checks.filter(Universe.checks.contains).map {
            $0.evaluate(evidence).naming(names)
        }
    }

    /// Has time pass until all nodes are equal, and stay so; returns whether they do.
    private mutating func settle() -> Bool {
        var quiet = 0
        for _ in 0..<Universe.roundLimit {
            passRound()
            quiet = areEqual ? quiet + 1 : 0
            if quiet == Universe.quietRounds { return true }
        }
        return false
    }

    private var areEqual: Bool {
        let vector = nodes[0].replica?.vector
        return nodes.allSatisfy { node in
            node.isIdle && node.isServing && node.replica?.vector == vector
                && node.replica?.isFullMember == true
        }
    }

    private var evidenceNodes: [Evidence.Node] {
        nodes.map { node in
            let entries = archive.batches(in: node.replica?.vector ?? VersionVector())
            return Evidence.Node(
                name: node.name, value: node.replica?.value ?? .null, vector: node.replica?.vector,
                writer: node.replica?.writer, operations: Evidence.operations(in: entries),
                diskFailure: diskFailure(of: node))
        }
    }

    private func diskFailure(of node: UniverseNode) -> String? {
        do throws(MemoryTables.Failure) {
            guard node.isIdle, let replica = node.replica, let next = try node.restarted().replica
            else { return nil }
            return Evidence.difference(between: replica, and: next, of: node.name)
        } catch {
            return "what is on the disk of \(node.name) cannot be read: \(error)"
        }
    }
}
