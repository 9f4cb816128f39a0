public import ClusterConfiguration
public import DataTree
internal import EventLoop
internal import Glibc
internal import JSONText

/// Writes a node's log to standard error: a line for each entry, `YYYY-MM-DD HH:MM:SS.mmm n1 text`, or an object of JSON.
///
/// No entry has a secret or a value of the data.
public struct NodeLog: Sendable {
    let member: String
    private let settings: LogSettings

    /// The log of a node.
    public init(member: String, settings: LogSettings) {
        (self.member, self.settings) = (member, settings)
    }

    /// Writes an entry, if it is severe enough.
    ///
    /// - Parameter fields: The details in the text again, for programs.
    public func write(
        _ text: String, _ level: LogLevel = .info, _ fields: [(name: String, value: Value)] = []
    ) {
        guard level >= settings.level else { return }
        let now = Loop.wallClockMilliseconds
        let line =
            switch settings.format {
            case .text: "\(LogTime.text(of: now)) \(member) \(text)"
            case .json: json(text, level, fields, at: now)
            }
        let bytes = Array((line + "\n").utf8)
        // One call for each line, so that lines of several nodes on a terminal do not mix; a failure
        // to log does not stop the node.
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// One line; the time comes first, so that lines can be sorted.
    func json(
        _ text: String, _ level: LogLevel, _ fields: [(name: String, value: Value)], at now: UInt64
    ) -> String {
        let members: [(name: String, value: Value)] =
            [
                ("time", .string(LogTime.internetText(of: now))),
                ("level", .string(level.rawValue)),
                ("member", .string(member)), ("message", .string(text)),
            ] + fields
        let texts = members.map {
            "\(JSONWriter.text(of: .string($0.name))):\(JSONWriter.text(of: $0.value))"
        }
        return "{" + texts.joined(separator: ",") + "}"
    }
}
