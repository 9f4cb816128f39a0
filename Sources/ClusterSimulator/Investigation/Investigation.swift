/// Says where a failing run went wrong, from further runs with the same seed in which everything is compared after every
/// event.
public enum Investigation {
    /// Lines that tell the first moments at which nodes, operations and listeners parted; or else the course of the request,
    /// or the moment, that a check complains about; and what happened before.
    ///
    /// - Complexity: some ten times that of the run itself.
    public static func lines(
        of scenario: Scenario, seed: UInt64, report: SimulationReport
    ) -> [String] {
        let scenario = scenario.drawn(seed: seed)
        let (first, divergences) = compared(scenario, seed: seed)
        let failed = report.checks.filter { $0.verdict == .invalid }
        let subject = failed.lazy.compactMap(\.subject).first
        var surroundings = Surroundings(
            of: divergences, subject.flatMap { OperationCourse(of: $0, in: first) },
            failed.lazy.compactMap(\.moment).first)
        return surroundings.lines(scenario, seed: seed)
    }

    /// A run to its end, and the moments at which nodes, operations and listeners parted.
    ///
    /// - Parameter scenario: A drawn one.
    static func compared(
        _ scenario: Scenario, seed: UInt64
    ) -> (run: SimulatedRun, divergences: [Divergence]) {
        var run = SimulatedRun(scenario, seed: seed)
        DivergenceWatch.prepare(&run)
        var watch = DivergenceWatch()
        run.begin()
        while let event = run.step() { watch.observe(event, in: run) }
        return (run, watch.finish(run))
    }
}

/// What happened in a run before some of its moments.
private struct Surroundings {
    private let divergences: [Divergence]
    private var course: OperationCourse?
    private let moment: FindingMoment?

    private var recent = RecentEvents()
    private var beforeDivergence: [UInt64: RecentEvents] = [:]
    private var beforeCourse = RecentEvents()
    private var beforeMoment: RecentEvents?

    init(of divergences: [Divergence], _ course: OperationCourse?, _ moment: FindingMoment?) {
        self.divergences = divergences
        self.course = course
        self.moment = moment
    }

    /// Runs once more, and tells what happened before what is the clearest.
    mutating func lines(_ scenario: Scenario, seed: UInt64) -> [String] {
        var run = SimulatedRun(scenario, seed: seed)
        run.record.performed = []
        run.begin()
        while let event = run.step() { observe(event, in: run) }
        if !divergences.isEmpty { return divergences.flatMap(lines) }
        if let course {
            let told = course.finish(run)
            return told.lines.indented("the request: ")
                + beforeCourse.lines(nodes: told.nodes, clients: told.clients).below("until then:")
        }
        let agreed =
            "every node showed what its operations give, and listeners what their nodes show"
        if let moment {
            let events = (beforeMoment ?? recent).lines(nodes: [moment.node], clients: [])
            return [agreed] + events.below("at \(moment.node.nodeName) until then:")
        }
        let all = Array(run.nodes.indices)
        return [agreed] + recent.lines(nodes: all, clients: []).below("in the end:")
    }

    private mutating func observe(_ event: Event, in run: SimulatedRun) {
        let number = run.record.statistics.events
        if divergences.contains(where: { $0.event == number }) { beforeDivergence[number] = recent }
        if let moment, beforeMoment == nil, run.now > moment.time { beforeMoment = recent }
        recent.add(event, in: run)
        let known = course?.event
        course?.observe(event, in: run)
        if course?.event != known { beforeCourse = recent }
    }

    private func lines(of divergence: Divergence) -> [String] {
        let events = beforeDivergence[divergence.event]?.lines(
            nodes: divergence.nodes, clients: divergence.clients)
        return ["first at \(divergence.cause)", "    \(divergence.problem)"]
            + (events ?? []).below("until then:")
    }
}

extension [String] {
    /// The lines below the first one indented, and the first behind a word.
    fileprivate func indented(_ word: String) -> [String] {
        enumerated().map { $0 == 0 ? word + $1 : "    " + $1 }
    }

    /// The lines below a heading; nothing if there are none.
    fileprivate func below(_ heading: String) -> [String] {
        isEmpty ? [] : [heading] + map { "    " + $0 }
    }
}
