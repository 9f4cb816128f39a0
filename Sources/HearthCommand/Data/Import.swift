internal import ClientCore
internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree

extension Verb {
    private static let file = Argument(
        "FILE", "A JSON file; - is standard input.", values: .file)
    private static let replace = Option(
        flag: "replace",
        "Replace the value at PATH even if the new one is too large for one operation (16 "
            + "MB). The old value is removed first, and readers see the new one grow.")

    static let `import` = Verb(
        "import",
        "Replaces the value at a path by the content of a JSON file. Up to 16 MB are written "
            + "at once. Larger files are written in pieces, if nothing is at the path or with "
            + "--replace.",
        arguments: [DataArguments.path, file], options: [replace] + NodeClient.options,
        examples: [
            "hearth import /languages iso_639-3.json --node n1 --dir demo",
            "zcat backup.json.gz | hearth import / - --replace --node http://127.0.0.1:7001",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let input = try InputFile(invocation[file])
        let value = try parseJSON(try input.readAll(), from: input.name)
        do throws(DataError) {
            try value.validate(at: path)
        } catch {
            throw CommandError(.badData, "\(input.name): \(error.problem)", fix: error.fix)
        }
        let client = try NodeClient(for: invocation)
        StopRequest.watch()
        var target = ImportTarget(path: path, source: input.name, byteCount: value.size)
        if target.fitsInOneOperation {
            try target.replaceAtOnce(by: value, client)
        } else {
            target.isEmpty = try client.children(of: path, limit: 1).isEmpty
            if !target.isEmpty, !invocation.has(replace) { throw target.wouldBeRemoved }
            try PieceImport(of: value, to: target, by: client).run()
        }
        return .success
    }
}

/// The target of an import, and the size of the value.
struct ImportTarget {
    /// About the largest value, in bytes on the wire, that one operation can write: half of the largest frame that
    /// a node accepts, and Firebase's limit for one write of its SDKs. Staging a larger value elsewhere would not
    /// help: the operation that swaps it in would contain it, too.
    static let operationBytes = 16_000_000

    let path: Path
    /// The name of the input in messages.
    let source: String
    let byteCount: Int
    /// Whether the place was empty before.
    var isEmpty = false

    var fitsInOneOperation: Bool { byteCount <= ImportTarget.operationBytes }

    /// Replaces the value in one atomic operation.
    func replaceAtOnce(by value: Value, _ client: NodeClient) throws(CommandError) {
        do throws(CommandError) {
            try client.put(value, at: path)
        } catch {
            guard error.leavesWrite else { throw error }
            throw CommandError(
                error.status,
                "\(error.problem); \(path) has its previous value, or all of \(source)",
                fix: "repeat the import; a repetition is harmless")
        }
    }

    /// A usage error, before anything is changed: the command line does not allow to remove the present value.
    var wouldBeRemoved: CommandError {
        CommandError(
            .usage,
            "\(source) has \(megabytes(byteCount)) MB, too much for one operation "
                + "(\(megabytes(ImportTarget.operationBytes)) MB), and \(path) is not empty",
            fix:
                "nothing was changed; add --replace to remove the value there and write the file in "
                + "pieces, which an interruption leaves unfinished, or import to an empty location")
    }
}
