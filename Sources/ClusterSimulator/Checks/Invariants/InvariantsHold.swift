import DataTree
import Store
import SyncProtocol

extension Check {
    package static let invariantsHold: Check = Check(
        "invariants-hold", judges: .scenario,
        claim: "`check every`, `count` and `sum` hold after each turn",
        criterion: """
            each invariant of the scenario holds at every node after every turn; the first \
            violation is printed with its node, time, location, value and operations
            """,
        watch: InvariantWatch.self, evaluate: InvariantsHold.evaluate)
}

/// The invariants of the scenario held at every node after every turn.
enum InvariantsHold {
    static func evaluate(_ evidence: Evidence) -> Finding {
        guard let watch = evidence.watches.first(of: InvariantWatch.self), !watch.invariants.isEmpty
        else {
            return .unknown("the scenario has no invariant, such as check every /accounts/$id >= 0")
        }
        let failed = watch.invariants.indices.filter { watch.failures[$0] != nil }.sorted {
            watch.failures[$0]!.time < watch.failures[$1]!.time
        }
        if let first = failed.first { return finding(first, failed.dropFirst(), watch, evidence) }
        for (index, invariant) in watch.invariants.enumerated() where watch.count(of: index) == 0 {
            return .unknown("no place is \(invariant.places), of \"\(invariant.text)\"")
        }
        let count = watch.invariants.indices.reduce(0) { $0 + watch.count(of: $1) }
        return .valid("\(watch.invariants.count) invariants at \(count) places")
    }

    private static func finding(
        _ index: Int, _ others: some Sequence<Int>, _ watch: InvariantWatch, _ evidence: Evidence
    ) -> Finding {
        let (invariant, failure) = (watch.invariants[index], watch.failures[index]!)
        let place = failure.violation.place
        let found =
            place.isRoot ? failure.violation.found : "\(place) \(failure.violation.found)"
        var finding = Finding.invalid(
            "\"\(invariant.text)\" does not hold at n\(failure.node + 1) at "
                + "\(failure.time.description): \(found)")
        let course = InvariantOperations(of: invariant, failure, evidence)
        finding.witness = course.lines
        for other in others {
            let failure = watch.failures[other]!
            finding.witness.append(
                "nor does \"\(watch.invariants[other].text)\" at n\(failure.node + 1) at "
                    + failure.time.description)
        }
        finding.invariant = index
        return finding.at(failure.time, node: failure.node)
    }
}

/// The operations that made what an invariant does not allow, with the requests behind them.
private struct InvariantOperations {
    /// How many are shown, the last ones.
    private static let limit = 8

    let lines: [String]

    init(of invariant: Invariant, _ failure: InvariantWatch.Failure, _ evidence: Evidence) {
        var found: [(dot: Dot, operation: Operation)] = []
        for entry in evidence.archive.batches(in: failure.vector) {
            guard let batch = try? BatchCoding.decode(entry.bytes) else { continue }
            for (index, operation) in batch.operations.enumerated()
            where operation.mayMake(failure.violation.place, of: invariant) {
                let sequence = entry.first + UInt64(index)
                found.append((Dot(origin: entry.origin, sequence: sequence), operation))
            }
        }
        found.sort { $0.operation.stamp < $1.operation.stamp }
        let left = found.count - min(found.count, InvariantOperations.limit)
        let older = left == 0 ? [] : ["\(left) older operations are left out"]
        let requests = evidence.history.operations.filter { $0.fingerprint != nil }
        lines =
            older
            + found.suffix(InvariantOperations.limit).map { dot, operation in
                let mark = failure.before.covers(dot) ? "" : "came in this turn: "
                let fingerprint = Fingerprint(of: operation.writes)
                let request = requests.first { $0.fingerprint == fingerprint }
                let author = request.map { " (\($0))" } ?? ""
                return "\(mark)\(dot)  stamp \(operation.stamp)  \(operation.writes.text)\(author)"
            }
    }
}

extension Operation {
    /// Whether it may have changed a place at which an invariant does not hold; the root stands for all places of a sum.
    fileprivate func mayMake(_ place: Path, of invariant: Invariant) -> Bool {
        writes.contains { write in
            place.isRoot
                ? invariant.places.mayTouch(write.path)
                : write.path.contains(place) || place.contains(write.path)
        }
    }
}

extension [Write] {
    fileprivate var text: String {
        map { "\($0.path) \($0.value)" }.joined(separator: ", ").cut(to: 300)
    }
}
