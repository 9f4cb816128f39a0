import Foundation
import Testing
import Threads

/// The events of a test's callbacks, in order.
final class Heard: Sendable {
    private let state = Monitor<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func add(_ line: String) { state.withLock { $0.append(line) } }

    /// Waits until just these lines were heard.
    func wait(for lines: [String], _ location: SourceLocation = #_sourceLocation) throws {
        try wait(until: { $0 == lines }, location)
    }

    /// Waits until a line is the last one.
    func wait(until last: String, _ location: SourceLocation = #_sourceLocation) throws {
        try wait(until: { $0.last == last }, location)
    }

    /// Waits until the lines are as they should be, and fails after ten seconds.
    func wait(
        until isSo: ([String]) -> Bool, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let deadline = Date(timeIntervalSinceNow: 10)
        while !isSo(lines) {
            try #require(
                Date() < deadline, "heard only \(lines)", sourceLocation: location)
            // A wait with a limit, which a monitor does not have.
            usleep(2000)
        }
    }
}
