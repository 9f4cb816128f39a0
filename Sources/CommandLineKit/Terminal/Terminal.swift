internal import Glibc

/// The output for messages to people: standard error, coloured on a terminal that allows it.
package struct Terminal: Sendable {
    package enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
        case magenta = "35"
        case cyan = "36"
        case grey = "90"
    }

    package static let standardError = Terminal(descriptor: STDERR_FILENO)
    package static let standardOutput = Terminal(descriptor: STDOUT_FILENO)

    private let descriptor: Int32
    /// Whether it is a terminal: progress is shown only there.
    package let isInteractive: Bool
    private let hasColour: Bool
    /// How many characters fit on a line; nil if it is not a terminal.
    package var columns: Int? {
        var size = winsize()
        guard isInteractive, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
        else { return nil }
        return Int(size.ws_col)
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        isInteractive = isatty(descriptor) == 1
        hasColour =
            isInteractive && environment("NO_COLOR") == nil
            && environment("TERM") != "dumb"
    }

    package func coloured(_ text: String, _ colour: Colour) -> String {
        hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Writes a line, now.
    package func print(_ line: String) {
        write(line + "\n")
    }

    /// Writes text as it is, now.
    package func write(_ text: String) {
        guard descriptor == STDOUT_FILENO else {
            _ = writeAll(Array(text.utf8), to: descriptor)
            return
        }
        // After the output that is buffered already, and with its error if the output cannot be written.
        StandardOutput.shared.write(Array(text.utf8))
        StandardOutput.shared.flush()
    }

    package func report(_ error: CommandError) {
        print(coloured("error:", .red) + " " + error.problem)
        print(coloured("fix:", .cyan) + " " + error.fix)
    }
}

/// The value of an environment variable; nil if it is unset or empty.
package func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}

/// Writes all bytes; false if the other end is gone or refuses.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress
            let count = Glibc.write(descriptor, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
