// How the schedules of a scenario are searched.

extension Scenario {
    /// How its schedules are searched unless a command says otherwise.
    public var searchWay: SearchWay { search.way }

    /// How many steps have to come in one order so that priorities find a bug as often as they promise.
    public var searchDepth: Int { search.depth }

    /// The scenario with another way to search.
    public consuming func searched(_ way: SearchWay) -> Scenario {
        if !hasDatabases { search.way = way }
        return self
    }
}

extension EventOrder {
    /// An order without events, as the scenario wants it.
    init(_ scenario: Scenario, seed: UInt64) {
        guard scenario.search.way == .priorities else {
            self.init(nil)
            return
        }
        self.init(
            PriorityOrder(
                depth: scenario.search.depth, window: scenario.search.window,
                steps: scenario.stepCountByTime(seed: seed), seed: seed))
    }
}

extension Scenario {
    /// How many events happen before all faults end if time orders them.
    fileprivate func stepCountByTime(seed: UInt64) -> Int {
        var run = SimulatedRun(searched(.swarm), seed: seed)
        var count = 0
        run.begin()
        while !run.quiescence.hasBegun, run.step() != nil { count += 1 }
        return count
    }
}
