internal import CommandLineKit
internal import Glibc

/// Reads the lines of a node's log as they are written.
package struct LogReader {
    package let id: String
    private let path: String
    private var offset: off_t = 0
    /// The beginning of a line that is not yet whole.
    private var rest: [UInt8] = []
    /// The last line read, and the last one that the node wrote itself: a crash adds lines of the runtime.
    private var last: LogLine?
    private(set) var lastOwn: LogLine?

    package init(of node: Cluster.Node, in cluster: Cluster) {
        id = node.id
        path = cluster.log(of: node)
    }

    /// Skips the present lines.
    package mutating func skipToEnd() {
        var status = stat()
        if stat(path, &status) == 0 { offset = status.st_size }
    }

    /// The last lines that were not read yet, for messages.
    var ending: String {
        var reader = self
        let lines = reader.newLines().suffix(8).map { "\n    " + $0.text }
        return lines.isEmpty ? "its log has no new lines" : "its log ends with" + lines.joined()
    }

    /// The whole lines since the last call.
    mutating func newLines() -> [LogLine] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        lseek(descriptor, offset, SEEK_SET)
        guard let bytes = readAll(from: descriptor) else { return [] }
        offset += bytes.count
        var lines = (rest + bytes).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array(lines.popLast() ?? [])
        return lines.map { bytes in
            let line = LogLine(
                String(decoding: bytes, as: UTF8.self), of: id, after: last?.time ?? "")
            last = line
            if line.isOwn { lastOwn = line }
            return line
        }
    }
}

/// Shows the logs of a cluster's nodes as one by time, each line with the name of its node.
package struct LogView {
    private static let colours: [Terminal.Colour] = [.cyan, .magenta, .yellow, .green, .blue]
    private let terminal = Terminal.standardOutput
    private var names: [String]
    private var readers: [LogReader]
    /// Those of nodes that were removed, and may be added again.
    private var retired: [LogReader] = []

    package init(of nodes: [Cluster.Node], in cluster: Cluster) {
        readers = nodes.map { LogReader(of: $0, in: cluster) }
        names = nodes.map(\.id)
    }

    package mutating func skipToEnd() {
        for index in readers.indices { readers[index].skipToEnd() }
    }

    /// Goes on with the logs of these nodes: those of new ones from their beginning.
    package mutating func follow(_ nodes: [Cluster.Node], in cluster: Cluster) {
        let known = readers + retired
        readers = nodes.map { node in
            known.first { $0.id == node.id } ?? LogReader(of: node, in: cluster)
        }
        retired = known.filter { reader in !nodes.contains { $0.id == reader.id } }
        names = nodes.map(\.id)
    }

    /// The last line that was read of those that a node wrote itself.
    package func lastLine(of id: String) -> String? { readers.first { $0.id == id }?.lastOwn?.text }

    /// Prints the lines since the last call.
    ///
    /// - Parameters:
    ///   - time: Lines before it are left out.
    ///   - count: So many lines at most, the last ones.
    package mutating func printNewLines(since time: String = "", last count: Int = .max) {
        var logs: [[LogLine]] = []
        for index in readers.indices { logs.append(readers[index].newLines()) }
        for line in LogLine.merged(logs).filter({ $0.time >= time }).suffix(count) {
            StandardOutput.shared.print(line.named(coloured(line.node)))
        }
        StandardOutput.shared.flush()
    }

    private func coloured(_ id: String) -> String {
        let index = names.firstIndex(of: id) ?? 0
        return terminal.coloured(id, Self.colours[index % Self.colours.count])
    }
}
