internal import CommandLineKit
internal import Glibc

/// A file that is not there yet.
struct NewFile {
    let path: String
    let mode: mode_t
    /// The remedy if the file cannot be created.
    let fix: String

    /// Writes the file, which is on the disk then.
    func write(_ text: String) throws(CommandError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            throw CommandError(
                .cannotCreate, "cannot create \(path): \(String(cString: strerror(errno)))",
                fix: fix)
        }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0
        else {
            unlink(path)
            throw CommandError(
                .cannotCreate, "cannot write \(path): \(String(cString: strerror(errno)))",
                fix: "free space on the disk")
        }
    }
}
