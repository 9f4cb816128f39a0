internal import ClusterAdministration
package import CommandLineKit
internal import DataTree
internal import Threads

/// `hearth demo`: a guided tour that shows the use of Hearth, and checks its own claims.
package struct Demo {
    package static let verb = Verb(
        "demo",
        "Shows a cluster in 15 seconds: three nodes, concurrent writes, a killed node, equal "
            + "trees in the end.",
        options: [open], examples: ["hearth demo", "hearth demo --open"], work: run)

    private static let open = Option(
        flag: "open", "Also open the console in a browser, where the pushes appear as they arrive.")

    private static let list = Path([Key(unchecked: "rooms"), Key(unchecked: "lobby")])
    private static let pushes = 60_000
    private static let pushesPerSecond = 7_500
    /// How many pushes each client makes alone first, for the reader to follow.
    private static let slowPushes = 2

    private let cluster: Cluster
    private let story: Story

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let story = Story()
        story.begin("Three nodes start, each a process with its own database on disk.")
        return try TemporaryCluster.with(3, durability: "commit") {
            (cluster) throws(CommandError) in
            defer { story.leaveProgress() }
            return try Demo(cluster: cluster.cluster, story: story)
                .play(inBrowser: invocation.has(open))
        }
    }

    private func play(inBrowser: Bool) throws(CommandError) -> ExitStatus {
        let nodes = cluster.file.nodes
        let (n1, n2, n3) = (nodes[0], nodes[1], nodes[2])
        for node in nodes { story.show("\(node.id)  \(node.client)") }
        let console = "\(n1.client)/rooms/lobby"
        story.show("the console, in a browser: \(console)")
        if inBrowser, !BrowserLaunch.open(console) {
            story.show("no program opens pages here: set BROWSER, or open the address yourself")
        }
        try story.pause()

        story.begin(
            "A listener at n3 waits for children of \(Demo.list). Three clients push there:",
            "ada to n1, bob to n2, eve to n3. Each child gets a key that sorts by time.")
        let listener = try DemoListener(at: n3, list: Demo.list, story: story)
        defer { listener.stop() }
        let writers = DemoWriters(
            [
                try DemoWriter("ada", through: [n1, n3], to: Demo.list),
                try DemoWriter("bob", through: [n2, n1], to: Demo.list),
                try DemoWriter("eve", through: [n3, n1], to: Demo.list),
            ], total: Demo.pushes, perSecond: Demo.pushesPerSecond, heardBy: listener,
            story: story)
        defer { writers.stop() }
        try story.pause()
        try writers.takeTurns(Demo.slowPushes)
        try story.pause()

        story.begin(
            "Now all three push at once, \(grouped(Demo.pushesPerSecond)) a second together.",
            "A push is acknowledged once it is on the disk of the client's node.")
        try writers.push(until: Demo.pushes / 3)
        try killAndRestart(n2, while: writers)
        try writers.push(until: Demo.pushes)
        story.show("all \(grouped(Demo.pushes)) pushes are acknowledged")

        story.begin("The clients have ended. Does every node hold every push?")
        let isRight = try DemoCheck(cluster: cluster, list: Demo.list, story: story)
            .run(expected: writers.acknowledgedKeys, heard: listener)
        story.end(isRight: isRight, pushes: Demo.pushes)
        return isRight ? .success : .checkFailed
    }

    private func killAndRestart(
        _ node: Cluster.Node, while writers: DemoWriters
    ) throws(CommandError) {
        story.begin(
            "\(node.id) is killed (SIGKILL) while they push. The others do not wait:",
            "bob's client continues at n1, and repeats its unacknowledged pushes.")
        let killed = cluster.kill(node)
        let before = writers.acknowledged
        story.show("process \(killed.map { String($0.pid) } ?? "?") has ended")
        try writers.push(until: Demo.pushes * 2 / 3)

        story.begin(
            "\(node.id) restarts, reads its disk, and requests the missing pushes from the others.")
        let start = ContinuousClock.now
        try ClusterStart(cluster: cluster).start([node]) { writers.advance() }
        story.show(
            "\(node.id) serves after \(tenths(start.duration(to: .now) / .seconds(1))) s; "
                + "it was away for \(grouped(writers.acknowledged - before)) pushes")
    }
}
