internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import SyncProtocol

extension Completion.Source {
    /// The cluster that the command line so far, the environment or the default names.
    static let cluster = Completion.Source(
        nodes: { (try? NodeOptions.names(for: $0)) ?? [] },
        keys: { path, beginning, invocation in
            (try? keys(at: path, beginningWith: beginning, for: invocation)) ?? []
        })

    /// The longest wait for a completion, in seconds.
    private static let patience = "1"
    private static let limit = 100

    private static func keys(
        at text: String, beginningWith beginning: String, for invocation: Invocation
    ) throws -> [String] {
        var invocation = invocation
        invocation.add(patience, to: NodeClient.timeout)
        // Number keys are ordered by value, which separates those with a common beginning.
        let isNumber = Int(beginning) != nil
        let start = beginning.isEmpty || isNumber ? nil : try Key(beginning)
        let listing = try NodeClient(for: invocation).children(
            of: try Path(text), from: start, limit: isNumber ? ChildListing.countLimit : limit)
        return listing.entries.filter { $0.key.text.hasPrefix(beginning) }.map { entry in
            // More keys may follow where there is an object.
            if case .object = entry.child { entry.key.text + "/" } else { entry.key.text }
        }
    }
}
