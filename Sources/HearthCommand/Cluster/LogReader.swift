internal import Glibc

/// Reads the lines of a node's log as they are written.
struct LogReader {
    let id: String
    private let path: String
    private var offset: off_t = 0
    /// The beginning of a line that is not yet whole.
    private var rest: [UInt8] = []

    init(of node: Cluster.Node, in cluster: Cluster) {
        id = node.id
        path = cluster.log(of: node)
    }

    /// Skips what the log says already.
    mutating func skipToEnd() {
        var status = stat()
        if stat(path, &status) == 0 { offset = status.st_size }
    }

    /// The whole lines since the last call.
    mutating func newLines() -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        lseek(descriptor, offset, SEEK_SET)
        guard let bytes = readAll(from: descriptor) else { return [] }
        offset += bytes.count
        var lines = (rest + bytes).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array(lines.popLast() ?? [])
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Shows the logs of a cluster's nodes as one, each line with the name of its node.
struct LogView {
    private static let colours: [Terminal.Colour] = [.cyan, .magenta, .yellow, .green, .blue]
    private let terminal = Terminal.standardOutput
    private var readers: [LogReader]

    init(of nodes: [Cluster.Node], in cluster: Cluster) {
        readers = nodes.map { LogReader(of: $0, in: cluster) }
    }

    mutating func skipToEnd() {
        for index in readers.indices { readers[index].skipToEnd() }
    }

    /// Prints what the nodes have said since the last call.
    mutating func printNewLines() {
        for index in readers.indices {
            let id = readers[index].id
            let colour = Self.colours[index % Self.colours.count]
            for line in readers[index].newLines() {
                StandardOutput.shared.print(named(line, id, terminal.coloured(id, colour)))
            }
        }
        StandardOutput.shared.flush()
    }

    /// A node's own lines have its name behind the time; others, as of a crash, get it in front.
    private func named(_ line: String, _ id: String, _ shown: String) -> String {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1] == id else { return "\(shown) \(line)" }
        return "\(parts[0]) \(shown) \(parts[2])"
    }
}
