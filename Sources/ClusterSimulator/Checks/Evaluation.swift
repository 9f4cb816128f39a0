/// The evaluation of a check, and the watch that it needs.
struct Evaluation: CheckEvaluation {
    /// Nil if the record of the run is enough.
    let watch: (any Watch.Type)?
    /// Evaluates a run that is over.
    let evaluate: @Sendable (Evidence) -> Finding
}

extension Check {
    /// Declares a check.
    init(
        _ name: String, judges subject: Subject, guarantees: String = "",
        failure: FailureKind = .safety, traits: Traits = [], claim: String, criterion: String,
        watch: (any Watch.Type)? = nil, evaluate: @escaping @Sendable (Evidence) -> Finding
    ) {
        self.init(
            name, judges: subject, guarantees: guarantees, failure: failure, traits: traits,
            claim: claim, criterion: criterion,
            evaluation: Evaluation(watch: watch, evaluate: evaluate))
    }

    /// The watch that the check needs; nil if the record of the run is enough.
    var watch: (any Watch.Type)? { (evaluation as? Evaluation)?.watch }

    /// Returns the result of the check in a run.
    func evaluate(_ evidence: Evidence) -> CheckResult {
        guard let evaluation = evaluation as? Evaluation else {
            preconditionFailure("\(self) has the evaluation \(evaluation)")
        }
        let finding = evaluation.evaluate(evidence)
        return CheckResult(
            check: self, verdict: finding.verdict, details: finding.details,
            isExcused: finding.isExcused,
            witness: finding.witness, subject: finding.subject, compared: finding.compared,
            moment: finding.moment,
            invariant: finding.invariant)
    }
}
