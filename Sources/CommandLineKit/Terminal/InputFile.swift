internal import Glibc

/// An input: a file, or standard input.
package struct InputFile: Sendable {
    package static let standardInput = InputFile(descriptor: STDIN_FILENO, name: "standard input")

    package let descriptor: Int32
    /// As messages name it.
    package let name: String

    private init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Opens a file; a dash is standard input.
    package init(_ path: String) throws(CommandError) {
        if path == "-" {
            self = .standardInput
            return
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandError(
                .noInput, "cannot read \(path): \(systemErrorText)",
                fix: "name a file that exists and may be read, or - for standard input")
        }
        self.init(descriptor: descriptor, name: path)
    }

    package func readAll() throws(CommandError) -> [UInt8] {
        guard let bytes = CommandLineKit.readAll(from: descriptor) else { throw cannotRead }
        return bytes
    }

    /// Calls `body` with each line, without its end (LF or CR LF), until the file ends or `body` returns false.
    ///
    /// - Parameter waiting: Called several times a second while no input comes; it may throw to end the wait.
    package func forEachLine(
        waiting: () throws(CommandError) -> Void = {},
        _ body: (_ number: Int, _ line: [UInt8]) throws(CommandError) -> Bool
    ) throws(CommandError) {
        var rest: [UInt8] = []
        var number = 0
        while true {
            while !isReadable { try waiting() }
            guard let chunk = readChunk(from: descriptor) else { throw cannotRead }
            if chunk.isEmpty { break }
            rest += chunk
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                if try !body(number, InputFile.line(rest[start..<end])) { return }
                start = end + 1
            }
            rest.removeFirst(start)
        }
        if !rest.isEmpty { _ = try body(number + 1, InputFile.line(rest[...])) }
    }

    private static func line(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        Array(bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes)
    }

    /// Whether bytes or the end can be read; waits for a moment.
    private var isReadable: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = poll(&entry, 1, 50)
        // A descriptor that cannot be polled reports its error when it is read.
        return count > 0 || count < 0 && errno != EINTR
    }

    private var cannotRead: CommandError {
        CommandError(
            .noInput, "cannot read \(name): \(systemErrorText)", fix: "check that it is a file")
    }
}
