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
        let stale = StaleReads(course.found, evidence.history)
        finding.witness = (stale?.lines ?? []) + course.lines
        if let stale { (finding.subject, finding.compared) = (stale.subject, stale.compared) }
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
struct InvariantOperations {
    /// One of them.
    struct Found {
        let dot: Dot
        let operation: Operation
        /// The request of a client behind it.
        let request: ClientOperation?
        /// Whether it came in the turn that ended the invariant.
        let isNew: Bool
    }

    /// How many are shown, the last ones.
    private static let limit = 8

    /// All of them, in the order of their stamps.
    let found: [Found]

    fileprivate init(
        of invariant: Invariant, _ failure: InvariantWatch.Failure, _ evidence: Evidence
    ) {
        var found: [Found] = []
        let requests = evidence.history.operations.filter { $0.fingerprint != nil }
        for entry in evidence.archive.batches(in: failure.vector) {
            guard let batch = try? BatchCoding.decode(entry.bytes) else { continue }
            for (index, operation) in batch.operations.enumerated()
            where operation.mayMake(failure.violation.place, of: invariant) {
                let dot = Dot(origin: entry.origin, sequence: entry.first + UInt64(index))
                let fingerprint = Fingerprint(of: operation.writes)
                found.append(
                    Found(
                        dot: dot, operation: operation,
                        request: requests.first { $0.fingerprint == fingerprint },
                        isNew: !failure.before.covers(dot)))
            }
        }
        self.found = found.sorted { $0.operation.stamp < $1.operation.stamp }
    }

    fileprivate var lines: [String] {
        let left = found.count - min(found.count, InvariantOperations.limit)
        let older = left == 0 ? [] : ["\(left) older operations are left out"]
        return older
            + found.suffix(InvariantOperations.limit).map { one in
                let author = one.request.map { " (\($0))" } ?? ""
                return (one.isNew ? "came in this turn: " : "")
                    + "\(one.dot)  stamp \(one.operation.stamp)  \(one.operation.writes.text)\(author)"
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
