/// Says where a text is not the JSON of a value, why, and how to mend it.
public struct JSONError: Error, Equatable, Sendable {
    /// The problem, naming its position or text.
    public let problem: String
    /// The fix for the author of the text.
    public let fix: String
    /// The line of the failure, from 1; lines end with a line feed.
    public let line: Int
    /// The column of the failure in its line, from 1, counting Unicode scalars as editors do.
    public let column: Int
    /// The keys from the document's root to the failure, as the text writes them and joined as in
    /// `/rooms/lobby`; `/` for the root.
    public let path: String
}

extension JSONError: CustomStringConvertible {
    /// The text of it.
    public var description: String {
        let place = path == "/" ? "" : ", at \(path)"
        return "line \(line), column \(column)\(place): \(problem)"
    }
}

/// A failure at a byte of the text, before its line and column are counted.
struct Failure: Error {
    var offset: Int
    let problem: String
    let fix: String
}

extension JSONError {
    init(_ failure: Failure, in text: UnsafeBufferPointer<UInt8>, path: [String]) {
        let before = text.prefix(failure.offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        problem = failure.problem
        fix = failure.fix
        line = before.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
        column = before[lineStart...].reduce(1) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
        self.path = "/" + path.joined(separator: "/")
    }
}
