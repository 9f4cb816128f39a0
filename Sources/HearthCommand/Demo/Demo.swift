internal import DataTree
internal import Hearth
internal import JSONText
internal import Threads

/// `hearth demo`: a guided tour that shows what Hearth is for, and checks all that it claims.
struct Demo {
    static let verb = Verb(
        "demo", "Shows it all in a minute: three nodes, writes on each, one killed, all equal.",
        examples: ["hearth demo"], work: run)

    private static let list = Path([Key(unchecked: "rooms"), Key(unchecked: "lobby")])
    private static let pushesPerWriter = 20_000

    private let cluster: TemporaryCluster
    private let story = Story()

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let story = Story()
        story.tell("Three nodes start, each a process with its own database on disk.")
        let cluster = try TemporaryCluster.start(3, durability: "commit")
        defer { cluster.remove() }
        let interruption = try Interruption { cluster.remove() }
        defer { interruption.end() }
        for node in cluster.cluster.file.nodes { story.show("\(node.id)  \(node.client)") }
        return try Demo(cluster: cluster).play()
    }

    private func play() throws(CommandError) -> ExitStatus {
        let nodes = cluster.cluster.file.nodes
        let (n1, n2, n3) = (nodes[0], nodes[1], nodes[2])

        story.tell("A listener on n3 hears of every child of \(Demo.list), live.")
        let listener = try DemoListener(at: n3, list: Demo.list, story: story)
        defer { listener.stop() }

        story.tell("Three clients push to that list at once, one through each node.")
        var writers: [DemoWriter] = []
        for (name, order) in [("ada", [n1, n3]), ("bob", [n2, n1]), ("eve", [n3, n1])] {
            writers.append(
                try DemoWriter(
                    name, through: order.map(\.client), to: Demo.list,
                    count: Demo.pushesPerWriter))
        }
        for writer in writers { writer.start() }
        let total = writers.count * Demo.pushesPerWriter
        try wait(for: total / 3, of: writers)

        story.tell("n2 is killed with SIGKILL in the middle of it. Its client moves on to n1.")
        let victim = cluster.cluster.kill(n2)
        story.show(
            "process \(victim.map { String($0.pid) } ?? "?") is gone; \(acknowledged(writers)) pushes acknowledged so far"
        )
        try wait(for: total * 2 / 3, of: writers)

        story.tell("n2 starts again, reads its disk, and gets from its peers what it missed.")
        try ClusterStart(cluster: cluster.cluster).start([n2])
        try wait(for: total, of: writers)
        story.show("all \(total) pushes are acknowledged")

        story.tell("Now all is compared.")
        let expected = writers.map { $0.acknowledgedKeys() }
        let check = DemoCheck(cluster: cluster.cluster, list: Demo.list, story: story)
        let isRight = try check.run(expected: expected, heard: listener, total: total)
        for writer in writers { writer.stop() }
        story.end(isRight: isRight, pushes: total)
        return isRight ? .success : .checkFailed
    }

    private func acknowledged(_ writers: [DemoWriter]) -> Int {
        writers.reduce(0) { $0 + $1.acknowledgedCount }
    }

    private func wait(for count: Int, of writers: [DemoWriter]) throws(CommandError) {
        let deadline = ContinuousClock.now + .seconds(60)
        while acknowledged(writers) < count {
            for writer in writers { if let error = writer.failure { throw error } }
            guard ContinuousClock.now < deadline else {
                throw CommandError(
                    .unavailable,
                    "only \(acknowledged(writers)) of \(count) pushes were acknowledged in a minute",
                    fix: "look at the logs in \(cluster.cluster.folder)")
            }
            pause(milliseconds: 5)
        }
    }
}
