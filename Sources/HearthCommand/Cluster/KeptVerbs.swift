internal import ClusterAdministration
internal import ClusterConfiguration
internal import ClusterNode
internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import NodeStorage
internal import Storage

/// `hearth database kept`: the files that nodes keep aside, on the machine of the nodes.
enum KeptVerbs {
    static let verb = Verb(
        "kept",
        "Lists, exports and deletes the files of databases that a node keeps aside, in the folder `kept` of the node. A "
            + "node keeps the files of a database that is on other nodes if these may lack operations in them. Run it on "
            + "the machine of the node.",
        verbs: [list, export, delete],
        examples: [
            "hearth database kept list",
            "hearth database kept export n1 chat-3-20260131T120000Z chat.json",
        ])

    private static let node = Argument(
        "NODE", "The node with the files, such as n1.", values: .node)
    private static let entry = Argument(
        "ENTRY", "The files, as `hearth database kept list` names them.")
    private static let file = Argument(
        "FILE", "The JSON file to write; - is standard output.", values: .file)
    private static let yes = Option(
        flag: "yes",
        "Delete them without a confirmation. Without this, the command asks at a terminal.")
    private static let options = [NodeOptions.folder, NodeOptions.configuration]

    private static let list = Verb(
        "list",
        "Prints the files that the nodes on this machine keep aside: the node, the name, the size and the folder.",
        options: options, examples: ["hearth database kept list"]
    ) { invocation throws(CommandError) in
        for (node, folder) in try NodeOptions.folders(of: invocation) {
            for files in KeptFiles.all(inFolder: folder) {
                StandardOutput.shared.print(
                    "\(node)  \(files.entry)  \(DatabaseTable.size(files.bytes))  "
                        + files.path(inFolder: folder))
            }
        }
        return .success
    }

    private static let export = Verb(
        "export",
        "Writes the data of files that a node keeps aside to a JSON file that `hearth import` can read, for a comparison with "
            + "the data of the database.",
        arguments: [node, entry, file], options: options,
        examples: ["hearth database kept export n1 chat-3-20260131T120000Z chat.json"]
    ) { invocation throws(CommandError) in
        let (folder, files) = try files(of: invocation)
        let value: Value
        do throws(NodeError) {
            value = try StoredValue.read(files.databasePath(inFolder: folder))
        } catch {
            throw CommandError(.noInput, error.problem, fix: error.fix)
        }
        let output = try OutputFile(invocation[file])
        defer { output.discard() }
        let text = JSONWriter.text(of: value, form: value.containsPriority ? .export : .plain)
        try output.write(Array(text.utf8) + [UInt8(ascii: "\n")])
        try output.finish()
        return .success
    }

    private static let delete = Verb(
        "delete", "Deletes files that a node keeps aside, for ever.",
        arguments: [node, entry], options: [yes] + options,
        examples: ["hearth database kept delete n1 chat-3-20260131T120000Z --yes"]
    ) { invocation throws(CommandError) in
        let (folder, files) = try files(of: invocation)
        guard try isConfirmed(files, in: folder, for: invocation) else {
            Terminal.standardError.print("nothing is deleted")
            return .success
        }
        do throws(StorageError) {
            try files.delete(inFolder: folder)
        } catch {
            throw CommandError(.cannotCreate, error.problem, fix: error.fix)
        }
        StandardOutput.shared.print("\(files.entry) is deleted")
        return .success
    }

    private static func isConfirmed(
        _ files: KeptFiles, in folder: String, for invocation: Invocation
    ) throws(CommandError) -> Bool {
        if invocation.has(yes) { return true }
        let question = "This deletes \(files.path(inFolder: folder)) for ever."
        return try Confirmation(question).ask(
            toType: files.entry,
            otherwise: CommandError(
                .usage, "hearth database kept delete deletes \(files.entry) for ever",
                fix: "add --yes to delete it without a question"))
    }

    private static func files(
        of invocation: Invocation
    ) throws(CommandError) -> (folder: String, files: KeptFiles) {
        let (id, name) = (invocation[node], invocation[entry])
        let folders = try NodeOptions.folders(of: invocation)
        guard let (_, folder) = folders.first(where: { $0.node == id }) else {
            throw CommandError(
                .usage, "the cluster has no node \"\(id)\"",
                fix: "see `hearth database kept list`")
        }
        guard let files = KeptFiles.all(inFolder: folder).first(where: { $0.entry == name }) else {
            throw CommandError(
                .noInput, "\(folder) has no kept files \(name)",
                fix: "see `hearth database kept list`, on the machine of \(id)")
        }
        return (folder, files)
    }
}
