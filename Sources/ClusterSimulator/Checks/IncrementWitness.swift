import DataTree
import SyncProtocol

// Which increments of a counter make a wrong sum: those that were done twice, and those that a node lacks.

extension Finding {
    /// The finding, with the first increments of a counter that explain it at a node.
    func witnessed(by counter: Path, at node: Evidence.Node, _ evidence: Evidence) -> Finding {
        let stamps = StampIndex(evidence.recording)
        var finding = self
        for operation in evidence.history.operations {
            guard case .increment(counter, _) = operation.kind, finding.witness.count < 3 else {
                continue
            }
            let dots = operation.servings.compactMap(\.made).filter {
                node.vector?.covers($0) == true
            }
            let lines: String? =
                if Set(dots.compactMap { stamps[$0] }).count > 1 {
                    "done as "
                        + dots.map { dot in
                            "\(dot)\(stamps[dot].map { " with the stamp \($0)" } ?? "")"
                        }.joined(separator: " and as ") + ": \(operation)"
                } else if operation.outcome == .acknowledged, let dot = operation.acknowledged?.dot,
                    node.vector?.covers(dot) == false
                {
                    "not at \(node.name), as \(dot): \(operation)"
                } else {
                    nil
                }
            guard let lines else { continue }
            finding.witness.append(lines)
            finding.subject = finding.subject ?? operation.operationName
        }
        return finding
    }
}
