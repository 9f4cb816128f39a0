internal import Glibc

/// An output: a file that appears, or gets its new content, once all is written; or standard output.
package final class OutputFile {
    private let descriptor: Int32
    private let name: String
    /// The temporary file for the bytes until all are written; nil where they are written directly.
    private var temporaryName: String?

    package var isStandardOutput: Bool { descriptor == STDOUT_FILENO }

    /// A file, or standard output for a dash. A device or a pipe is written directly.
    package convenience init(_ path: String) throws(CommandError) {
        try self.init(path, kind: OutputFile.kind(of: path), mode: 0o644)
    }

    /// A file that only this user may read, whoever could read the one that it replaces.
    ///
    /// - Throws: also for a symbolic link.
    package convenience init(private path: String) throws(CommandError) {
        let kind = OutputFile.kind(of: path)
        guard kind != S_IFLNK else {
            throw CommandError(
                .cannotCreate, "\(path) is a symbolic link",
                fix: "name the file itself, or - for standard output")
        }
        try self.init(path, kind: kind, mode: 0o600)
    }

    /// - Parameter kind: Of the file that has the name; nil if there is none.
    private init(_ path: String, kind: mode_t?, mode: mode_t) throws(CommandError) {
        name = path
        guard path != "-" else {
            descriptor = STDOUT_FILENO
            return
        }
        if kind == nil || kind == S_IFREG {
            let temporary = "\(path).part-\(getpid())"
            temporaryName = temporary
            // An earlier process of this number has left it, or somebody else has put a link there.
            unlink(temporary)
            descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        } else {
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        }
        if descriptor < 0 { throw cannotWrite }
    }

    private static func kind(of path: String) -> mode_t? {
        var entry = stat()
        return lstat(path, &entry) == 0 ? entry.st_mode & S_IFMT : nil
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
