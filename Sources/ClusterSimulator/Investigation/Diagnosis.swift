/// Explains a failed run in a few sentences, and by the steps that led to the failure.
///
/// The terminal, the text of a record and its page show the same sentences and steps.
struct Diagnosis {
    let sentences: [String]
    let steps: [CourseStep]
    /// The moments to which a page leads.
    let findings: [RunFinding]
    /// The last events of the nodes concerned, where no steps explain the failure.
    private let recentLines: [String]

    /// Runs a scenario again, to its end, as often as it takes.
    ///
    /// - Parameter scenario: A drawn one.
    /// - Complexity: some ten times that of the run itself.
    init(of scenario: Scenario, seed: UInt64, _ report: SimulationReport) {
        let (first, divergences, arrivals) = Investigation.compared(
            scenario, seed: seed, report)
        let focus = FailureFocus(report, divergences, arrivals, in: first)
        var run = SimulatedRun(scenario, seed: seed)
        var course = FailureCourse(focus, in: &run)
        var recent = RecentEvents()
        run.begin()
        while let event = run.step() {
            if run.now <= focus.time ?? .max { recent.add(event, in: run) }
            course.observe(event, in: &run)
        }
        let (steps, clues) = course.finish(run)
        let failed = report.checks.filter { $0.verdict == .invalid }
        let moments = divergences.map { RunFinding($0) } + failed.compactMap(\.finding)
        self.steps = report.verdict == .invalid ? steps : []
        let marked = self.steps.first(where: \.isDeviation).map { RunFinding($0) }
        findings = (moments + [marked].compactMap(\.self)).sorted { $0.time < $1.time }
        sentences =
            FindingSentences(
                report, moments, marked, focus.kind, clues,
                after: faultTimes(in: scenario)
            ).sentences
        recentLines =
            marked != nil || self.steps.count(where: { $0.weight > .detail }) > 2
            ? [] : recent.lines(nodes: focus.nodes, clients: focus.clients)
    }

    /// The sentences below the claim, which the failed check itself says, and the steps.
    var lines: [String] {
        let steps = steps.map { step in
            "\(step.isDeviation ? "> " : "  ")\(step.time.description)  \(step.text)"
        }
        return sentences.dropFirst() + steps.below("how it came about:")
            + recentLines.below("the last events until then:")
    }
}

/// The faults of a script in the order of their times.
private func faultTimes(in scenario: Scenario) -> [(time: Microseconds, text: String)] {
    scenario.script.compactMap { scripted in
        guard case .fault = scripted.action else { return nil }
        return (scripted.times.shortest, scripted.action.text(in: scenario))
    }.sorted { $0.time < $1.time }
}

extension [String] {
    /// The lines below a heading; nothing if there are none.
    fileprivate func below(_ heading: String) -> [String] {
        isEmpty ? [] : [heading] + map { "    " + $0 }
    }
}
