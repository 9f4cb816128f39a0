import DataTree
import SyncProtocol

// Lines of a history, as a witness shows them.

extension ClientOperation {
    var line: String {
        var line = description
        if let serving = acknowledged {
            if let dot = serving.dot { line += " as \(dot)" }
            line += " at \(serving.vector.line)"
        }
        return line
    }
}

extension Recording.State {
    var line: String {
        "\(time.description)  n\(node + 1)  holds \(vector.line)"
    }
}

extension Recording.Issued {
    var line: String {
        let writes = operation.writes.map { "\($0.path) \($0.value)" }.joined(separator: ", ")
        return "\(time.description)  n\(node + 1)  made \(dot), stamp \(operation.stamp): "
            + writes.cut(to: 300)
    }
}

extension VersionVector {
    /// As in `3k#12 9q#4`.
    var line: String {
        let entries = entries.map { Dot(origin: $0.origin, sequence: $0.sequence).description }
        return entries.isEmpty ? "nothing" : entries.joined(separator: " ")
    }
}
