internal import DataTree
internal import SyncProtocol

// What completion asks the cluster.

extension ShellCommands {
    private static let lookupLimit = 200
    /// Somebody waits with a finger on the key.
    private static let lookupSeconds = "1"

    /// The names of the nodes that commands can name.
    var nodeNames: [String] {
        guard let (invocation, _) = lookup(["ls", "/"]) else { return [] }
        return NodeOptions.names(of: invocation).values.sorted()
    }

    /// Some of the children of a place whose keys begin so; none where no node answers in time.
    ///
    /// - Parameter words: The line so far, which may name a node.
    func children(
        at path: String, beginning: String, behind words: ShellLine
    ) -> [ChildListing.Entry] {
        guard
            let (invocation, place) = lookup(
                ["ls", "--timeout", ShellCommands.lookupSeconds, path], words),
            let client = try? NodeClient(for: invocation)
        else { return [] }
        // Keys that are numbers come first in the order of keys, wherever the beginning stands in it.
        var entries = listing(client, place, from: nil)
        if !beginning.isEmpty, let key = try? Key(beginning) {
            let known = Set(entries.map(\.key))
            entries += listing(client, place, from: key).filter { !known.contains($0.key) }
        }
        return entries.filter { $0.key.text.hasPrefix(beginning) }
    }

    private func listing(
        _ client: NodeClient, _ path: Path, from key: Key?
    ) -> [ChildListing.Entry] {
        (try? client.children(of: path, from: key, limit: ShellCommands.lookupLimit).entries) ?? []
    }

    private func lookup(
        _ words: [String], _ line: ShellLine? = nil
    ) -> (Invocation, Path)? {
        let node = line.map { ShellCommands.nodeWords(in: $0.words) } ?? []
        guard case .run(let invocation)? = try? CommandParser(root: .hearth).parse(words + node),
            let path = try? Path(words.last ?? "/")
        else { return nil }
        return (withDefaults(invocation), path)
    }

    /// The words of a line that name a node.
    private static func nodeWords(in words: [String]) -> [String] {
        let name = "--" + NodeOptions.node.name
        for (index, word) in words.enumerated() {
            if word.hasPrefix(name + "=") { return [word] }
            if word == name, index + 1 < words.count { return [word, words[index + 1]] }
        }
        return []
    }
}
