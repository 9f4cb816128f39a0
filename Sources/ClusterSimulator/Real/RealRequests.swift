package import DataTree
import ReplicaCore
package import SyncProtocol

/// The requests of one client in a real run: those that a simulated one would send.
package struct RealRequests: Sendable {
    private let workload: Workload
    private var source: RequestSource

    /// The requests of one of a plan's clients, counted from 0.
    package init(_ plan: RealPlan, client: Int, seed: UInt64) {
        let (operations, count) = (plan.scenario.workload.operations, plan.clients)
        workload = Workload(
            plan.scenario.workload, plan.scenario.mix.filter { !$0.needsLibrary })
        source = RequestSource(
            client: client,
            remaining: operations * (client + 1) / count - operations * client / count,
            random: SplitMix64(seed: seed, part: 10_000 + UInt64(client)))
    }

    /// Adds a request that the scenario names; it comes next.
    package mutating func add(_ request: RealRequest) { source.scripted.append(request.request) }

    /// The next request, and its write concern; nil if there is none.
    package mutating func next(
        keyMilliseconds: UInt64
    ) -> (work: RecordedOperation.Work, concern: WriteConcern?)? {
        guard let request = source.next(workload, keyMilliseconds: keyMilliseconds) else {
            return nil
        }
        switch request.kind {
        case .push(let list, let key, let value):
            return (.push(list: list, key: key, value: value), request.concern)
        case .append(let list, _, let value):
            let key = source.newKey(at: keyMilliseconds)
            return (.push(list: list, key: key, value: value), request.concern)
        case .increment(let counter, let delta):
            return (.increment(counter: counter, by: delta), request.concern)
        case .get(let path): return (.get(path), nil)
        case .write:
            guard request.path.isRoot, request.writes.count == 1, let write = request.writes.first
            else {
                return (.write(request.path, request.writes), request.concern)
            }
            let whole = [Write(path: .root, value: write.value)]
            return (.write(write.path, whole), request.concern)
        }
    }

    /// A request has its outcome; nil for the value if it read nothing.
    package mutating func finish(reading value: Value?) { source.finish(reading: value) }
}
