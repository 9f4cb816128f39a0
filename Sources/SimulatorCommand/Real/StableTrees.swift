internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import LoadTools

extension Cluster {
    /// All trees, once they are equal, or after a minute.
    ///
    /// - Throws: if a node does not hand over its tree by then, which says nothing about what it holds.
    func stableTrees() throws(CommandError) -> [(node: String, tree: Value)] {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            try StopRequest.check()
            let isLast = ContinuousClock.now > deadline
            var trees: [(node: String, tree: Value)] = []
            for node in file.nodes {
                do throws(CommandError) {
                    // Some hundred megabytes after ten minutes.
                    let client = try NodeClient(nodes: [node.client], within: .seconds(60))
                    trees.append((node.id, try client.get(.root)))
                } catch {
                    if isLast { throw error }
                }
            }
            let areEqual =
                trees.count == file.nodes.count
                && trees.allSatisfy { $0.tree == trees[0].tree }
            if areEqual || isLast { return trees }
            pause(milliseconds: 200)
        }
    }
}
