import Convergence
package import DataTree
import Store
import SyncProtocol

// The checks of a scenario on what real nodes did.

extension RecordedRun {
    /// Judges what was recorded by the checks of a plan that judge real nodes.
    ///
    /// - Parameters:
    /// - trees: The final trees of the nodes, in their order.
    /// - reads: The values that were read for expectations, with their times; nil if the node did
    ///   not answer.
    /// - start: The beginning of the scenario, from which times are counted.
    package func evaluate(
        _ plan: RealPlan, trees: [Value],
        reads: [(read: RealRead, time: UInt64, found: Value?)], start: UInt64
    ) -> [CheckResult] {
        let replay = replay
        var evidence = evidence(trees: trees, replay)
        evidence.archive = replay.archive
        let outcomes = reads.map { read, time, found in
            ExpectationOutcome(
                expectation: read.expectation, time: time - min(time, start), found: found)
        }
        evidence.watches = [
            replay.watch(plan.scenario.invariants, nodes: plan.nodes, since: start),
            ExpectationWatch(outcomes),
        ]
        return plan.checks.map { check in
            if check == .staysLive { return RecordedRun.judgeLiveness(trees) }
            let result = check.evaluate(evidence)
            let mayRestOnFault = check == .expectationsHold && plan.skipsFaults
            return mayRestOnFault && result.verdict == .invalid ? result.withoutFault : result
        }
    }

    private static func judgeLiveness(_ trees: [Value]) -> CheckResult {
        let areEqual = trees.allSatisfy { $0 == trees[0] }
        return CheckResult(
            check: .staysLive, verdict: areEqual ? .valid : .invalid,
            details: areEqual ? "the trees are equal" : "the trees differ after a minute")
    }
}

extension CheckResult {
    /// The result where what should be wrong may need a fault that was skipped.
    fileprivate var withoutFault: CheckResult {
        CheckResult(
            check: check, verdict: .unknown,
            details: details + "; it may rest on a fault that only a simulator can do")
    }
}

extension RecordReplay {
    /// Judges invariants by the tree that each recorded state of each node gives.
    ///
    /// A node that has lost its data serves no client before it holds them again.
    /// - Complexity: states times batches.
    fileprivate func watch(
        _ invariants: [Invariant], nodes: Int, since start: Microseconds
    ) -> InvariantWatch {
        var watch = InvariantWatch(invariants, nodes: nodes)
        if invariants.isEmpty { return watch }
        for node in 0..<nodes {
            var (tree, held, lost) = (ConvergentTree(), VersionVector(), VersionVector())
            for state in recording.states[node] {
                if !state.vector.covers(held) {
                    (tree, lost, held) = (ConvergentTree(), held, VersionVector())
                }
                apply(to: &tree, from: held, to: state.vector)
                held = state.vector
                guard state.time >= start, held.covers(lost) else { continue }
                watch.check(tree.value, holding: held, node: node, at: state.time - start)
            }
        }
        return watch
    }

    private func apply(
        to tree: inout ConvergentTree, from held: VersionVector, to vector: VersionVector
    ) {
        for entry in archive.batches(in: vector) where entry.last > held[entry.origin] {
            guard let batch = try? BatchCoding.decode(entry.bytes) else { continue }
            for operation in batch.operations { _ = tree.apply(operation) }
        }
    }
}
