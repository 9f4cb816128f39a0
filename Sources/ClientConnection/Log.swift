internal import CLibrary
package import Synchronization

/// The SDK's log on standard error.
package enum Log {
    /// Whether it also logs normal events, as connections.
    package static let isOn = Atomic(false)

    /// Logs a failure, or a warning, that no callback reports.
    package static func warn(_ text: String) {
        var line = "hearth: \(text)\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Logs a normal event, if the program wants that.
    package static func info(_ text: @autoclosure () -> String) {
        if isOn.load(ordering: .relaxed) { warn(text()) }
    }
}
