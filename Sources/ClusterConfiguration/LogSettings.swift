/// The settings of the log of each node.
public struct LogSettings: Equatable, Sendable {
    /// The least severe entries that are written.
    public var level = LogLevel.info
    public var format = LogFormat.text
    /// A request, a turn or a write to the disk that takes so long gets an entry.
    public var slowMilliseconds = 1_000

    package init() {}
}

/// The severity of a log entry.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
    /// Normal operation, and refused requests.
    case info
    /// A condition that an operator should look at; the node continues.
    case warning
    /// The node accepts no writes, or ends.
    case error

    public static func < (first: LogLevel, second: LogLevel) -> Bool {
        first.rank < second.rank
    }

    private var rank: Int { LogLevel.allCases.firstIndex(of: self) ?? 0 }
}

/// The form of a log entry.
public enum LogFormat: String, CaseIterable, Sendable {
    /// A line for people.
    case text
    /// A line with one JSON object.
    case json
}
