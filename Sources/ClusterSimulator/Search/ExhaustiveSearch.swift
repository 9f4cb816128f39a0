/// Tries every schedule of a tiny cluster: every order of requests, turns, frames and disks, with a crash at every point.
///
/// It searches depth first and visits each state once. A schedule that leads to a known state ends
/// there and counts with the known continuation. States are equal if every process began on the
/// same disk and had the same turns since, the same frames are on their way, and the same was
/// announced and acknowledged.
public struct ExhaustiveSearch {
    /// The failure of a schedule.
    public struct Failure: Sendable {
        /// The choices that lead to it: at each step, the position among those that are possible.
        public let schedule: [Int]
        /// What failed.
        public let checks: [CheckResult]
        /// A failure of the cluster itself, whatever its checks.
        public let problem: String?
    }

    private let plan: UniversePlan
    /// Evaluates the end of a schedule.
    var judge: (Universe) -> [CheckResult] = { $0.judged() }
    private let stateLimit: Int
    /// Whether it ends before all schedules were tried.
    private var isCut = false
    /// By fingerprint, how many schedules lead on from a state.
    private var known: [UInt64: Double] = [:]
    private var path: [Int] = []
    /// States that differ.
    public private(set) var states = 0
    /// Steps from one state to another.
    public private(set) var transitions = 0
    /// Ends of schedules that were judged.
    public private(set) var ends = 0
    /// The steps of the longest schedule.
    public private(set) var depth = 0
    /// The schedules that lead through the states; so many that they are counted in floating point.
    public private(set) var schedules = 0.0
    /// The first schedule that failed.
    public private(set) var failure: Failure?
    /// Whether every schedule was tried.
    public private(set) var isComplete = false

    /// A search that has not begun.
    ///
    /// - Throws: if the scenario is not tiny, or names what the search does not know.
    public init(_ scenario: Scenario) throws(SearchError) {
        plan = try UniversePlan(scenario)
        stateLimit = scenario.search.states
        guard scenario.checks.contains(where: Universe.checks.contains) else {
            throw SearchError(
                problem: "exhaustive search knows none of the checks of \(scenario.name)",
                fix: "claim \(Universe.checks.map(\.name).joined(separator: ", ")), or some of "
                    + "these")
        }
    }

    /// The checks that it leaves out.
    public var omittedChecks: [Check] {
        plan.scenario.checks.filter { !Universe.checks.contains($0) }
    }

    /// Searches until a schedule fails, all were tried, there are too many states, or `isStopped`
    /// returns true.
    public mutating func run(isStopped: () -> Bool = { false }) {
        schedules = explore(Universe(plan), isStopped)
        isComplete = failure == nil && !isCut
    }

    /// Explores what can follow a state, and returns how many schedules there are from it.
    private mutating func explore(_ universe: Universe, _ isStopped: () -> Bool) -> Double {
        let fingerprint = universe.fingerprint
        if let count = known[fingerprint] { return count }
        states += 1
        depth = max(depth, path.count)
        let steps = universe.steps
        var count = 0.0
        if !steps.contains(where: \.isRequired) {
            count = 1
            evaluate(universe)
        }
        for (index, step) in steps.enumerated() where mayGoOn(isStopped) {
            var next = universe
            next.execute(step)
            transitions += 1
            path.append(index)
            if let problem = next.failure {
                fail([], problem)
            } else {
                count += explore(next, isStopped)
            }
            path.removeLast()
        }
        known[fingerprint] = count
        return count
    }

    private mutating func mayGoOn(_ isStopped: () -> Bool) -> Bool {
        if states >= stateLimit || transitions % 256 == 0 && isStopped() { isCut = true }
        return failure == nil && !isCut
    }

    private mutating func evaluate(_ universe: Universe) {
        ends += 1
        let failed = judge(universe).filter { $0.verdict == .invalid }
        if !failed.isEmpty { fail(failed, nil) }
    }

    private mutating func fail(_ checks: [CheckResult], _ problem: String?) {
        failure = failure ?? Failure(schedule: path, checks: checks, problem: problem)
    }
}

// MARK: - One schedule

extension ExhaustiveSearch {
    /// One schedule again, step by step.
    public struct Course: Sendable {
        /// Each step in words.
        public var steps: [String] = []
        /// The failure at its end; nil if there is none.
        public var failure: Failure?
    }

    /// Takes the steps of a schedule, and judges its end.
    ///
    /// - Throws: if a position is not among those that are possible there.
    public func course(of schedule: [Int]) throws(SearchError) -> Course {
        var universe = Universe(plan)
        var course = Course()
        for (index, position) in schedule.enumerated() {
            let steps = universe.steps
            guard steps.indices.contains(position) else {
                throw SearchError(
                    problem: "step \(index + 1) of the schedule is \(position), and there are "
                        + "\(steps.count) choices",
                    fix: "give the schedule that `hearth sim run` printed for this scenario")
            }
            course.steps.append(steps[position].text(in: universe))
            universe.execute(steps[position])
        }
        let problem = universe.failure
        let failed = problem == nil ? judge(universe).filter { $0.verdict == .invalid } : []
        if problem != nil || !failed.isEmpty {
            course.failure = Failure(schedule: schedule, checks: failed, problem: problem)
        }
        return course
    }
}

extension ExhaustiveSearch.Failure {
    /// The kind of the violation.
    public var kind: FailureKind {
        let failed = checks.map(\.check)
        return FailureKind(failed, failure: problem, hasConverged: !failed.contains(.staysLive))
            ?? .safety
    }
}
