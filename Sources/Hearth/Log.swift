internal import Foundation
internal import Synchronization

/// The SDK's log on standard error.
enum Log {
    /// Whether it also logs normal events, as connections.
    static let isOn = Atomic(false)

    /// Logs a failure, or a warning, that no callback reports.
    static func warn(_ text: String) {
        FileHandle.standardError.write(Data("hearth: \(text)\n".utf8))
    }

    /// Logs a normal event, if the program wants that.
    static func note(_ text: @autoclosure () -> String) {
        if isOn.load(ordering: .relaxed) { warn(text()) }
    }
}
