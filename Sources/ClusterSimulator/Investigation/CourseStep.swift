/// One step of the course of a failure, in words.
struct CourseStep {
    /// How much a step explains; a long course omits the lowest.
    enum Weight: Comparable {
        case detail, stage, decisive
    }

    /// The number of the event, counted from 1.
    var event: UInt64
    var time: Microseconds
    var text: String
    var weight: Weight
    /// The names of the nodes and clients concerned.
    var lanes: [String] = []
    /// Whether a correct run would have taken another step here.
    var isDeviation = false

    init(
        _ text: String, _ weight: Weight, event: UInt64, time: Microseconds, isDeviation: Bool
    ) {
        (self.text, self.weight, self.event, self.time) = (text, weight, event, time)
        self.isDeviation = isDeviation
    }

    /// A step in the event that a run has just executed.
    init(
        _ text: String, _ weight: Weight, at lanes: [String] = [], in run: SimulatedRun,
        isDeviation: Bool = false
    ) {
        (event, time) = (run.record.statistics.events, run.now)
        (self.text, self.weight, self.lanes) = (text, weight, lanes)
        self.isDeviation = isDeviation
    }
}

extension [CourseStep] {
    /// The most steps of a course.
    private static let limit = 24

    /// The steps in the order of their events, at most so many that a reader still follows them.
    ///
    /// The first deviation stays marked: all later ones may follow from it.
    var selected: [CourseStep] {
        var steps = enumerated().sorted {
            ($0.element.event, $0.offset) < ($1.element.event, $1.offset)
        }.map(\.element)
        for index in steps.indices.dropFirst().reversed()
        where steps[index - 1].event == steps[index].event
            && steps[index - 1].text == steps[index].text
        {
            steps.remove(at: index)
        }
        for weight in [CourseStep.Weight.detail, .stage] {
            let excess = steps.count - Self.limit
            guard excess > 0 else { break }
            steps.removeFirst(excess) { $0.weight == weight && !$0.isDeviation }
        }
        if let first = steps.firstIndex(where: \.isDeviation) {
            for index in steps.indices where index != first { steps[index].isDeviation = false }
        }
        return steps
    }

    /// Removes the first so many steps with a property.
    private mutating func removeFirst(_ count: Int, where isRemovable: (CourseStep) -> Bool) {
        var left = count
        removeAll { step in
            guard left > 0, isRemovable(step) else { return false }
            left -= 1
            return true
        }
    }
}
