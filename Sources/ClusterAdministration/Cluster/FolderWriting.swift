package import CommandLineKit
package import Glibc
internal import Storage

/// Makes a folder and those above it; one that exists is fine.
package func makeFolder(_ folder: String) throws(CommandError) {
    do throws(StorageError) { try Storage.makeFolder(folder) } catch {
        throw CommandError(.cannotCreate, error.problem, fix: error.fix)
    }
}

/// Replaces a file in one step: a reader finds the old content or the new, and the new content survives a
/// power failure.
package func writeFile(
    _ path: String, _ content: [UInt8], mode: mode_t = 0o600
) throws(CommandError) {
    let draft = path + ".new"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    let isWritten =
        descriptor >= 0 && writeAll(content, to: descriptor) && fsync(descriptor) == 0
    if descriptor >= 0 { close(descriptor) }
    guard isWritten, rename(draft, path) == 0, synchronizeFolder(of: path) else {
        throw CommandError(
            .cannotCreate, "cannot write \(path): \(systemErrorText)",
            fix: "check that the folder exists, that this user may write there, "
                + "and that the disk has room")
    }
}
