internal import CommandLineKit
internal import DataTree

/// The demo's clients together: they push at a steady pace that people can follow.
final class DemoWriters {
    private let writers: [DemoWriter]
    private let total: Int
    private let perSecond: Int
    private let listener: DemoListener
    private let story: Story
    private var start: ContinuousClock.Instant?

    init(
        _ writers: [DemoWriter], total: Int, perSecond: Int, heardBy listener: DemoListener,
        story: Story
    ) {
        self.writers = writers
        self.total = total
        self.perSecond = perSecond
        self.listener = listener
        self.story = story
    }

    var acknowledged: Int { writers.reduce(0) { $0 + $1.acknowledgedCount } }

    /// All keys that were acknowledged, in order.
    var acknowledgedKeys: [Key] { writers.flatMap { $0.acknowledgedKeys }.sorted() }

    /// Lets one client after the other push, slowly enough to see each push arrive.
    func takeTurns(_ rounds: Int) throws(CommandError) {
        for round in 1...rounds {
            for writer in writers {
                writer.push(upTo: round)
                pause(milliseconds: 300)
                try StopRequest.check()
            }
        }
    }

    /// Lets them push on until so many pushes are acknowledged.
    ///
    /// - Throws: when a push fails, or they take too long.
    func push(until count: Int) throws(CommandError) {
        let deadline = ContinuousClock.now + .seconds(60)
        while acknowledged < count {
            try StopRequest.check()
            for writer in writers { if let error = writer.failure { throw error } }
            guard ContinuousClock.now < deadline else {
                throw CommandError(
                    .unavailable,
                    "only \(acknowledged) of \(count) pushes were acknowledged in a minute",
                    fix: "try again when this machine has less to do")
            }
            advance()
            pause(milliseconds: 10)
        }
    }

    /// Lets them push what is due by now, and shows their progress.
    func advance() {
        let start = start ?? .now
        self.start = start
        let due = Int(start.duration(to: .now) / .seconds(1) * Double(perSecond))
        let share = min(due, total) / writers.count
        for writer in writers { writer.push(upTo: share) }
        story.showProgress(
            "\(grouped(acknowledged)) pushes acknowledged, n3's listener has received "
                + grouped(listener.count))
    }

    func stop() {
        for writer in writers { writer.stop() }
    }
}
