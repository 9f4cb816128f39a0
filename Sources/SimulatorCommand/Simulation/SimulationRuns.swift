internal import ClusterSimulator
internal import Dispatch
internal import Synchronization

/// Runs of scenarios on several threads, whose reports come in the order of the plan.
final class SimulationRuns: Sendable {
    /// A run that is over.
    struct Finished: Sendable {
        var item: SeedPlan.Item
        var report: SimulationReport
        /// Whether a repetition, if there was one, was the same.
        var isDeterministic: Bool
        var seconds: Double
    }

    private struct State {
        var plan: SeedPlan
        var drawn = 0
        var delivered = 0
        var finished: [Int: Finished] = [:]
        var isStopped = false
        var hasEnded = false
    }

    private let files: [ScenarioFiles.File]
    private let state: Mutex<State>
    private let change = DispatchSemaphore(value: 0)
    /// Bounds how far the threads get ahead of what is delivered.
    private let room = DispatchSemaphore(value: 0)
    private let jobs: Int

    init(_ files: [ScenarioFiles.File], _ plan: SeedPlan, jobs: Int) {
        self.files = files
        self.jobs = jobs
        state = Mutex(State(plan: plan))
        for _ in 0..<jobs * 16 { room.signal() }
        for thread in 0..<jobs { DispatchQueue.global().async { self.work(thread) } }
    }

    /// The next report, in the order of the plan; nil if none arrives within a tenth of a second, or no run is left.
    func next() -> Finished? {
        _ = change.wait(timeout: .now() + 0.1)
        return state.withLock { state in
            guard let finished = state.finished.removeValue(forKey: state.delivered) else {
                return nil
            }
            state.delivered += 1
            room.signal()
            // Several may have become ready with one that was late.
            if state.finished[state.delivered] != nil { change.signal() }
            return finished
        }
    }

    /// Whether every run is delivered.
    var isOver: Bool {
        state.withLock { ($0.hasEnded || $0.isStopped) && $0.delivered == $0.drawn }
    }

    /// Begins no further run; those that go on are not waited for.
    func stop() {
        state.withLock { $0.isStopped = true }
        for _ in 0..<jobs { room.signal() }
    }

    // MARK: On the threads

    private func work(_ thread: Int) {
        while true {
            room.wait()
            guard let (number, item) = draw() else { return }
            let command = RunVerdict.failed(.safety).command(
                files[item.scenario], seed: item.seed)
            TrappedRuns.begin(command, on: thread)
            let finished = run(item)
            TrappedRuns.end(on: thread)
            state.withLock { $0.finished[number] = finished }
            change.signal()
        }
    }

    private func draw() -> (Int, SeedPlan.Item)? {
        state.withLock { state in
            guard !state.isStopped, let item = state.plan.next() else {
                state.hasEnded = true
                change.signal()
                // The other threads end, too.
                room.signal()
                return nil
            }
            defer { state.drawn += 1 }
            return (state.drawn, item)
        }
    }

    private func run(_ item: SeedPlan.Item) -> Finished {
        let start = ContinuousClock.now
        let scenario = files[item.scenario].scenario
        let report = Simulation.run(scenario, seed: item.seed)
        let seconds = start.duration(to: .now) / .seconds(1)
        let isDeterministic = !item.isRepeated || Replay.repeats(report, scenario)
        return Finished(
            item: item, report: report, isDeterministic: isDeterministic, seconds: seconds)
    }
}
