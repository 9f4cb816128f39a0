internal import Glibc

/// An output: a file that appears, or gets its new content, once all is written; or standard output.
package final class OutputFile {
    private let descriptor: Int32
    private let name: String
    /// The temporary file for the bytes until all are written; nil where they are written directly.
    private var temporaryName: String?

    package var isStandardOutput: Bool { descriptor == STDOUT_FILENO }

    /// A file, or standard output for a dash. A device or a pipe is written directly.
    package init(_ path: String) throws(CommandError) {
        name = path
        var entry = stat()
        let isSpecial = lstat(path, &entry) == 0 && entry.st_mode & S_IFMT != S_IFREG
        temporaryName = path == "-" || isSpecial ? nil : "\(path).part-\(getpid())"
        descriptor =
            path == "-"
            ? STDOUT_FILENO
            : open(temporaryName ?? path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        if descriptor < 0 { throw cannotWrite }
    }

    deinit { if !isStandardOutput { close(descriptor) } }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(CommandError) {
        if isStandardOutput {
            StandardOutput.shared.write(bytes)
        } else if !writeAll(bytes, to: descriptor) {
            throw cannotWrite
        }
    }

    /// Syncs the written bytes, and renames the file to its place.
    package func finish() throws(CommandError) {
        guard let temporaryName else { return }
        guard fsync(descriptor) == 0, rename(temporaryName, name) == 0 else { throw cannotWrite }
        self.temporaryName = nil
    }

    /// Removes the temporary file, unless it is finished.
    package func discard() {
        if let temporaryName { unlink(temporaryName) }
    }

    private var cannotWrite: CommandError {
        CommandError(
            .cannotCreate, "cannot write \(name): \(systemErrorText)",
            fix: "name a file in a folder that may be written, on a disk that has room")
    }
}
