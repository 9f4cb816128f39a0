internal import CommandLineKit
internal import Glibc

/// The right to use a state file, which one process has at a time. It ends with the process at the latest.
final class MigrationLock {
    private let path: String
    private let descriptor: Int32

    /// - Throws: `.unavailable` if another process has it.
    init(of stateFile: String) throws(CommandError) {
        path = stateFile + ".lock"
        while true {
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else {
                throw CommandError(
                    .cannotCreate, "cannot write \(path): \(systemErrorText)",
                    fix: "check that the folder exists, and that this user may write there")
            }
            // A file system without locks cannot refuse a second process.
            if flock(file, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
                close(file)
                throw CommandError(
                    .unavailable, "another process migrates with \(stateFile)",
                    fix: "wait until it ends, or name another file with --state")
            }
            if MigrationLock.isFile(file, at: path) {
                descriptor = file
                return
            }
            // The process before has just deleted the file.
            close(file)
        }
    }

    deinit {
        unlink(path)
        close(descriptor)
    }

    /// Whether a path still names an open file.
    private static func isFile(_ file: Int32, at path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(file, &opened) == 0 && stat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }
}
