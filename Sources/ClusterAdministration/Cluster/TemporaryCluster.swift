package import ClusterConfiguration
package import CommandLineKit
internal import Glibc
package import TLS

/// A cluster on free ports, in a folder of its own, that goes when the work is done.
package struct TemporaryCluster {
    package let cluster: Cluster
    /// The folder of the nodes' recorded turns, if they record them.
    package var records: String { TemporaryCluster.records(in: cluster.folder) }

    private static func records(in folder: String) -> String { folder + "/records" }

    /// Starts `count` nodes, runs `body` once they have contact, and removes everything.
    ///
    /// On Ctrl-C, `body` must end: it checks `StopRequest` from time to time. Nodes end with this process, even if
    /// it is killed; then their folder remains.
    ///
    /// - Parameter settings: Settings of the configuration file, besides nodes and durability.
    /// - Parameter relay: The relays between nodes.
    /// - Parameter secret: The administrators' credential at nodes that accept unsigned tokens. Without it, every
    ///   client is an administrator.
    package static func with<Result>(
        _ count: Int, durability: String, settings: [String: Setting] = [:],
        recording: Bool = false, owner secret: Secret? = nil, through relay: Relay? = nil,
        _ body: (TemporaryCluster) throws(CommandError) -> Result
    ) throws(CommandError) -> Result {
        StopRequest.watch()
        let (basePort, ports) = try freePorts(for: count, and: relay?.portCount ?? 0)
        var file = ClusterFile(nodeCount: count, basePort: basePort, durability: durability)
        file.settings = settings
        try relay?.open(&file, ports)
        if secret != nil {
            file.settings["tokens"] = .object(["unsignedTokens": .boolean(true)])
        }
        let folder = try makeTemporaryFolder()
        let secretFile = try secret.map { secret throws(CommandError) in
            try write(secret, inFolder: folder)
        }
        let temporary = TemporaryCluster(
            cluster: try Cluster(
                creating: file, inFolder: folder, lifetime: .ofThisProcess,
                records: recording ? TemporaryCluster.records(in: folder) : nil,
                secretFile: secretFile))
        defer { temporary.remove() }
        try ClusterStart(cluster: temporary.cluster).start(file.nodes)
        return try body(temporary)
    }

    /// Writes a secret into a file that only its owner may read.
    private static func write(
        _ secret: Secret, inFolder folder: String
    ) throws(CommandError) -> String {
        let file = folder + "/secret"
        try writeFile(file, Array("\(secret.text)\n".utf8))
        chmod(file, 0o600)
        return file
    }

    private static func makeTemporaryFolder() throws(CommandError) -> String {
        var template = Array("/tmp/hearth-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandError(
                .cannotCreate, "cannot create a folder in /tmp: \(systemErrorText)",
                fix: "free space in /tmp")
        }
        return String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package var addresses: [String] { cluster.file.nodes.map(\.client) }

    package var processes: [Int32] {
        cluster.file.nodes.compactMap { cluster.process(of: $0)?.pid }
    }

    /// Stops the nodes and deletes their files.
    private func remove() {
        cluster.stop(cluster.file.nodes, within: .seconds(10)) { _, _ in }
        removeFolder(cluster.folder)
    }

    /// A port from which on all ports of such a cluster are free, and so many others.
    private static func freePorts(
        for count: Int, and others: Int
    ) throws(CommandError) -> (base: Int, others: [Int]) {
        // Below the system's ports for outgoing connections.
        let start = 20_000 + Int(getpid()) % 100 * 100
        for base in stride(from: start, to: 32_000 - others, by: 100) {
            let ports = (0..<count).flatMap { node in (0..<3).map { base + 10 * node + $0 } }
            let further = (0..<others).map { base + 10 * count + $0 }
            if !(ports + further).contains(where: { LocalPort(number: UInt16($0)).isTaken }) {
                return (base, further)
            }
        }
        throw CommandError(
            .unavailable, "no free ports from \(start) to 32000",
            fix: "stop some of the programs that listen there")
    }
}

extension TemporaryCluster {
    /// The relays between the nodes of a cluster.
    package struct Relay {
        /// How many ports it takes.
        let portCount: Int
        /// Begins to listen at these ports, and enters them into the file that nodes read.
        let open: (inout ClusterFile, [Int]) throws(CommandError) -> Void

        package init(
            portCount: Int, open: @escaping (inout ClusterFile, [Int]) throws(CommandError) -> Void
        ) {
            self.portCount = portCount
            self.open = open
        }
    }
}

/// Deletes a folder with all that is in it.
package func removeFolder(_ folder: String) {
    guard let entries = opendir(folder) else { return }
    while let entry = readdir(entries) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name == "." || name == ".." { continue }
        let path = folder + "/" + name
        if entry.pointee.d_type == UInt8(DT_DIR) { removeFolder(path) } else { unlink(path) }
    }
    closedir(entries)
    rmdir(folder)
}
