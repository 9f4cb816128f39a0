internal import CommandLineKit
internal import Glibc

/// A search of the system's table of processes for the process of a node.
///
/// It finds a node whose file `pid` is lost or damaged. It compares the command line `hearth node --config FILE
/// --id NODE`, and the file itself instead of its name, because processes in another root directory may use other
/// names.
struct ProcessSearch {
    private let node: String
    private let configuration: FileIdentity

    /// Nil if the configuration does not exist.
    init?(for node: String, configuration: String) {
        guard let file = FileIdentity(configuration) else { return nil }
        self.node = node
        self.configuration = file
    }

    /// The first process that runs the node; nil if none does.
    ///
    /// - Complexity: reads an entry of each process of the machine.
    func process() -> NodeProcess? {
        guard let folder = opendir("/proc") else { return nil }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let pid = pid_t(name), runsNode(pid), let process = NodeProcess(pid: pid),
                process.isRunning
            {
                return process
            }
        }
        return nil
    }

    private func runsNode(_ pid: pid_t) -> Bool {
        guard let line = readFile("/proc/\(pid)/cmdline"),
            let command = NodeCommandLine(line), command.node == node
        else { return false }
        let base = command.configuration.hasPrefix("/") ? "root" : "cwd"
        return FileIdentity("/proc/\(pid)/\(base)/\(command.configuration)") == configuration
    }
}

/// The words by which a process runs a node.
struct NodeCommandLine: Equatable {
    let node: String
    let configuration: String

    /// Reads words that each end with a zero byte; nil unless they run a node.
    init?(_ line: [UInt8]) {
        let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        guard words.dropFirst().first == "node",
            let node = NodeCommandLine.value(of: "--id", in: words),
            let configuration = NodeCommandLine.value(of: "--config", in: words)
        else { return nil }
        self.node = node
        self.configuration = configuration
    }

    /// The last value of an option, as `--id n1` or `--id=n1`.
    private static func value(of option: String, in words: [String]) -> String? {
        var value: String?
        for (word, next) in zip(words, words.dropFirst() + [""]) {
            if word == option { value = next }
            if word.hasPrefix(option + "=") { value = String(word.dropFirst(option.count + 1)) }
        }
        return value
    }
}

/// A file, whatever its names are.
struct FileIdentity: Equatable {
    private let device: UInt
    private let number: UInt

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
    }
}
