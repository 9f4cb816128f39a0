internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import SyncProtocol

extension Verb {
    static let update = Verb(
        "update", "Replaces several children at once: all of them or none.",
        arguments: [DataArguments.path, DataArguments.json], options: NodeClient.writeOptions,
        examples: [
            "hearth update /rooms '{\"lobby/title\":\"Hall\",\"attic\":null}' --node n1 --dir demo"
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let writes = try parseUpdate(try invocation.json())
        try NodeClient(for: invocation).merge(writes, at: path)
        return .success
    }

    private static func parseUpdate(_ text: [UInt8]) throws(CommandError) -> [Write] {
        do throws(JSONError) {
            return try text.span.bytes.withUnsafeBytes { bytes throws(JSONError) in
                try JSONReader().parseUpdate(bytes).map { Write(path: $0.path, value: $0.value) }
            }
        } catch {
            throw CommandError(error, in: "JSON")
        }
    }
}
