internal import ClusterConfiguration

/// A line of a node's log.
package struct LogLine: Equatable, Sendable {
    /// When it was written; of a line without a time, as of a crash, when the one before it was.
    package let time: String
    package let node: String
    /// The line as it is in the file.
    package let text: String
    /// Whether the node writes its log as JSON.
    private let isObject: Bool

    /// The beginning of an entry that is an object.
    private static let objectStart = "{\"time\":\""

    /// - Parameter last: The time of the line before.
    package init(_ text: String, of node: String, after last: String) {
        self.node = node
        self.text = text
        isObject = text.hasPrefix(LogLine.objectStart)
        // The time in an object has a T instead of the space, and a zone behind it.
        let start =
            isObject
            ? text.dropFirst(LogLine.objectStart.count).prefix(LogTime.length)
                .replacing("T", with: " ")[...] : text.prefix(LogTime.length)
        let hasTime = start.utf8.count == LogTime.length && LogTime.isTime(start)
        time = hasTime ? String(start) : last
    }

    /// The line with the name of its node: its own lines have it behind the time, others get it in front.
    ///
    /// - Parameter shown: The name, coloured as it is to be.
    package func named(_ shown: String) -> String {
        if isObject { return text }
        guard isOwn else { return "\(shown) \(text)" }
        return "\(time) \(shown) \(text.dropFirst(mark.count))"
    }

    /// Whether the node wrote it, and not its runtime or the system.
    var isOwn: Bool { isObject || !time.isEmpty && text.hasPrefix(mark) }

    private var mark: String { time + " " + node + " " }

    /// Lines of several logs as one, by time; those of each log stay in their order.
    package static func merged(_ logs: [[LogLine]]) -> [LogLine] {
        var rests = logs.map { $0[...] }.filter { !$0.isEmpty }
        var lines: [LogLine] = []
        while rests.count > 1 {
            // If times are equal, the first log wins.
            guard let next = rests.indices.min(by: { rests[$0].firstTime < rests[$1].firstTime })
            else { break }
            if let line = rests[next].popFirst() { lines.append(line) }
            if rests[next].isEmpty { rests.remove(at: next) }
        }
        return lines + (rests.first ?? [])
    }
}

extension ArraySlice<LogLine> {
    fileprivate var firstTime: String { first?.time ?? "" }
}
