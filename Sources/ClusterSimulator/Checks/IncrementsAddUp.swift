import DataTree

extension Check {
    package static let incrementsAddUp: Check = Check(
        "increments-add-up", judges: .clients, guarantees: "N1",
        traits: [.atEnd],
        claim: "each counter shows its acknowledged increments",
        criterion:
            "each counter shows its acknowledged sum, and at most the unknown ones in addition",
        evaluate: IncrementsAddUp.evaluate)
}

/// Each counter shows the sum of its acknowledged increments, and at most those with unknown outcome besides.
enum IncrementsAddUp {
    private struct Sum {
        var counter: Path
        var acknowledged: Int64 = 0
        var leastPossible: Int64 = 0
        var mostPossible: Int64 = 0
        var unknown = 0
    }

    static func evaluate(_ evidence: Evidence) -> Finding {
        let sums = sums(in: evidence)
        if sums.isEmpty { return .unknown("there was no increment" + evidence.incrementNote) }
        for node in evidence.nodes {
            for sum in sums {
                let least = sum.acknowledged + sum.leastPossible
                let most = sum.acknowledged + sum.mostPossible
                var shown: Int64 = 0
                if case .integer(let number) = node.value[sum.counter].content { shown = number }
                if shown < least || shown > most {
                    return .invalid(
                        "\(node.name) shows \(shown) at \(sum.counter); acknowledged were "
                            + "\(sum.acknowledged), and \(sum.unknown) increments of unknown "
                            + "outcome allow \(least) to \(most)"
                    ).witnessed(by: sum.counter, at: node, evidence)
                }
            }
        }
        let unknown = sums.reduce(0) { $0 + $1.unknown }
        let total = sums.reduce(0) { $0 + $1.acknowledged }
        return .valid("\(total) in \(sums.count) counters, \(unknown) increments unknown")
    }

    private static func sums(in evidence: Evidence) -> [Sum] {
        var sums: [Sum] = []
        for operation in evidence.history.operations {
            guard case .increment(let counter, let delta) = operation.kind else { continue }
            let index = sums.firstIndex { $0.counter == counter } ?? sums.count
            if index == sums.count { sums.append(Sum(counter: counter)) }
            switch operation.outcome {
            case .failed: continue
            case .acknowledged where !evidence.permittedLosses.mayBeLost(operation):
                sums[index].acknowledged += delta
            default:
                sums[index].leastPossible += min(0, delta)
                sums[index].mostPossible += max(0, delta)
                sums[index].unknown += 1
            }
        }
        for issued in evidence.recording.issued where issued.operation.isKeptInDoubt {
            for write in issued.operation.kept {
                guard let index = sums.firstIndex(where: { $0.counter == write.path }),
                    let delta = write.value.increment
                else { continue }
                sums[index].leastPossible -= max(0, delta)
                sums[index].mostPossible -= min(0, delta)
                sums[index].unknown += 1
            }
        }
        return sums
    }
}

extension Value {
    /// The stored form of its increment.
    fileprivate var increment: Int64? {
        switch self {
        case .integer(let number), .deferred(.increment(.integer(let number))): number
        default: nil
        }
    }
}
