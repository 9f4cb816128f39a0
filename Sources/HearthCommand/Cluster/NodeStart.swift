internal import ClusterConfiguration
internal import ClusterNode
internal import DataTree
internal import JSONText
internal import ZeroMQ

/// The checked files and options with which a node starts.
struct NodeStart {
    let configuration: NodeConfiguration
    let keys: KeyPair?
    let exposure: Exposure

    /// Reads and checks all files.
    ///
    /// - Parameters:
    ///   - id: The node; without it, only the configuration is checked.
    ///   - keyFile: The file with the node's secret key.
    /// - Throws: the first mistake. It lasts until someone changes a file or the command.
    init(
        of id: String?, configurationFile: String, keyFile: String?, exposure: Exposure
    ) throws(NodeError) {
        self.exposure = exposure
        configuration = try NodeConfiguration(contentsOf: configurationFile)
        do throws(KeyFileError) {
            keys = try keyFile.map { path throws(KeyFileError) in try KeyFile(path).read() }
        } catch {
            throw NodeError(problem: error.problem, fix: error.fix)
        }
        if let id {
            try configuration.checkStart(of: id, keys: keys, exposure: exposure)
        } else {
            try configuration.check(for: exposure)
        }
    }
}

extension NodeStart {
    /// The mistakes with which the node starts all the same; none without a node.
    func warnings(of id: String?) throws(NodeError) -> [NodeError] {
        try id.map { id throws(NodeError) in try configuration.startWarnings(of: id) } ?? []
    }

    /// The result of a successful check, for people.
    func text(of id: String?, _ warnings: [NodeError]) -> String {
        let lines = warnings.map { "warning: \($0.problem)\nfix: \($0.fix)\n" }.joined()
        guard let id else {
            let names = configuration.nodes.map(\.id).joined(separator: ", ")
            return "The configuration of cluster \(configuration.cluster) is valid, for \(names)."
        }
        return lines + "Node \(id) of cluster \(configuration.cluster) can start."
    }

    /// The result of a successful check, for programs.
    func json(of id: String?, _ warnings: [NodeError]) -> String {
        var members = [
            ("valid", Value.boolean(true)), ("cluster", .string(configuration.cluster)),
        ]
        if let id { members.append(("node", .string(id))) }
        if !warnings.isEmpty {
            let list = warnings.enumerated().map { index, warning in
                (String(index), NodeStart.value(of: warning))
            }
            members.append(("warnings", .object(named: list)))
        }
        return JSONWriter.text(of: .object(named: members))
    }

    private static func value(of error: NodeError) -> Value {
        .object(named: [("problem", .string(error.problem)), ("fix", .string(error.fix))])
    }

    /// A mistake, for programs.
    static func json(of error: NodeError) -> String {
        JSONWriter.text(
            of: .object(named: [
                ("valid", .boolean(false)), ("problem", .string(error.problem)),
                ("fix", .string(error.fix)),
            ]))
    }
}
