internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import JSONText

extension Verb {
    private static let file = Argument(
        "FILE", "Where to write the JSON; - is standard output.", values: .file)
    private static let pretty = Option(flag: "pretty", "Indent the JSON.")

    static let export = Verb(
        "export", "Writes the value at a path to a file, as JSON that import reads back.",
        arguments: [DataArguments.path, file], options: [pretty] + NodeClient.options,
        examples: [
            "hearth export /languages languages.json --node n2 --dir demo",
            "hearth export / - --node tcp://127.0.0.1:7001",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let value = try NodeClient(for: invocation).get(path)
        let file = try OutputFile(invocation[file])
        // The plain form, with arrays, loses nothing unless there are priorities.
        var writer = JSONWriter(
            value, form: value.containsPriority ? .export : .plain,
            layout: invocation.has(pretty) ? .pretty : .compact)
        var progress = Progress(of: nil, "bytes")
        var written = 0
        var isUnfinished = true
        while isUnfinished {
            var bytes: [UInt8] = []
            isUnfinished = writer.write(to: &bytes, atLeast: 256 * 1024)
            if !isUnfinished { bytes.append(UInt8(ascii: "\n")) }
            try file.write(bytes)
            written += bytes.count
            if !file.isStandardOutput { progress.show(written) }
        }
        if !file.isStandardOutput { progress.finish(written) }
        return .success
    }
}

/// Something to write to: a file that is created or emptied, or standard output.
private struct OutputFile {
    private let descriptor: Int32
    private let name: String

    var isStandardOutput: Bool { descriptor == STDOUT_FILENO }

    init(_ path: String) throws(CommandError) {
        name = path
        descriptor =
            path == "-"
            ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        if descriptor < 0 { throw cannotWrite }
    }

    func write(_ bytes: [UInt8]) throws(CommandError) {
        if isStandardOutput {
            StandardOutput.shared.write(bytes)
        } else if !writeAll(bytes, to: descriptor) {
            throw cannotWrite
        }
    }

    private var cannotWrite: CommandError {
        CommandError(
            .cannotCreate, "cannot write \(name): \(systemErrorText)",
            fix: "name a file in a folder that may be written, on a disk that has room")
    }
}

extension Value {
    /// - Complexity: O(size).
    fileprivate var containsPriority: Bool {
        switch self {
        case .prioritized: true
        case .object(let children): children.contains { $0.value.containsPriority }
        default: false
        }
    }
}
