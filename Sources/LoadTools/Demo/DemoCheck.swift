internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import JSONText

/// Compares the three trees with each other and with the acknowledged pushes.
struct DemoCheck {
    let cluster: Cluster
    let list: Path
    let story: Story

    /// Shows each result; true if all hold.
    func run(
        expected: [Key], heard listener: DemoListener
    ) throws(CommandError) -> Bool {
        let trees = try equalTrees(waitingFor: expected.count)
        let texts = trees.map { JSONWriter.bytes(of: $0, form: .export) }
        let areEqual = texts.allSatisfy { $0 == texts[0] }
        story.check(
            "the three trees are equal, byte by byte (\(grouped(texts[0].count)) bytes each)",
            areEqual)

        let there = trees[0][list].children
        let areThere = Array(there.keys) == expected
        story.check(
            "all \(grouped(expected.count)) acknowledged pushes are there, each once, in key order",
            areThere)

        let deadline = ContinuousClock.now + .seconds(10)
        while listener.count < expected.count, ContinuousClock.now < deadline {
            pause(milliseconds: 10)
        }
        let heard = listener.result()
        let isHeard = heard.children == there && !heard.isDoubled
        story.check("the listener at n3 received each of them, once", isHeard)
        return areEqual && areThere && isHeard
    }

    /// Reads all trees until they hold everything, or it has taken too long.
    private func equalTrees(waitingFor total: Int) throws(CommandError) -> [Value] {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            var trees: [Value] = []
            for node in cluster.file.nodes { trees.append(try read(from: node)) }
            let isComplete = trees.allSatisfy { $0[list].children.count >= total && $0 == trees[0] }
            if isComplete || ContinuousClock.now >= deadline { return trees }
            pause(milliseconds: 100)
        }
    }

    private func read(from node: Cluster.Node) throws(CommandError) -> Value {
        try NodeClient(nodes: [node.client]).get(.root)
    }
}
