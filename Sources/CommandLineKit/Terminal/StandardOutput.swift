internal import Glibc
internal import Synchronization

/// Standard output, buffered until it is flushed; for any thread.
///
/// A reader that closes the pipe, such as `head`, ends the process, as usual. If output cannot be
/// written, as on a full disk, the process ends with an error: no output is lost silently.
package final class StandardOutput: Sendable {
    package static let shared = StandardOutput()

    private static let limit = 64 * 1024
    private let buffer = Mutex([UInt8]())

    /// Appends a line.
    package func print(_ line: String) {
        append(Array(line.utf8), endingLine: true)
    }

    /// Appends bytes as they are.
    package func write(_ bytes: [UInt8]) {
        append(bytes, endingLine: false)
    }

    package func flush() {
        buffer.withLock { StandardOutput.empty(&$0) }
    }

    /// Ends the process, as a write does, once the reader of a pipe is gone: for commands that may have nothing to write for
    /// long.
    package func endWithoutReader() {
        var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        guard poll(&entry, 1, 0) > 0, Int32(entry.revents) & (POLLERR | POLLHUP) != 0 else {
            return
        }
        StandardOutput.end(because: EPIPE)
    }

    private func append(_ bytes: [UInt8], endingLine: Bool) {
        buffer.withLock { buffer in
            buffer += bytes
            if endingLine { buffer.append(UInt8(ascii: "\n")) }
            if buffer.count > StandardOutput.limit { StandardOutput.empty(&buffer) }
        }
    }

    private static func empty(_ buffer: inout [UInt8]) {
        let isWritten = writeAll(buffer, to: STDOUT_FILENO)
        let reason = errno
        buffer.removeAll(keepingCapacity: true)
        if !isWritten { end(because: reason) }
    }

    private static func end(because reason: Int32) {
        if reason == EPIPE {
            signal(SIGPIPE, SIG_DFL)
            raise(SIGPIPE)
        }
        let isClosed = reason == EBADF
        let text = isClosed ? "it is closed" : String(cString: strerror(reason))
        let remedy =
            isClosed
            ? "start the command with an open one" : "redirect it to a file on a disk that has room"
        let error = CommandError(
            .cannotCreate, "cannot write standard output: \(text)",
            fix: "\(remedy); what the command did at nodes is done")
        Terminal.standardError.report(error)
        _exit(error.status.rawValue)
    }
}
