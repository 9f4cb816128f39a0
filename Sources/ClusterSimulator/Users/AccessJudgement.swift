/// What those who judge access know of a run.
struct AccessJudgement {
    var history: RulesHistory
    /// By node.
    var watches: [AccessWatch]
}
