internal import Foundation
internal import Synchronization

/// What the SDK says on standard error.
enum Log {
    /// Whether it also tells what goes on while all is well.
    static let isOn = Atomic(false)

    /// Says what went wrong and has nobody else to tell.
    static func warn(_ text: String) {
        FileHandle.standardError.write(Data("hearth: \(text)\n".utf8))
    }

    /// Says what goes on, where somebody has asked for it.
    static func note(_ text: @autoclosure () -> String) {
        if isOn.load(ordering: .relaxed) { warn(text()) }
    }
}
