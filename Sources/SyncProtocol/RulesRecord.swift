package import DataTree

/// The rules of a cluster as nodes send and store them; the latest record is in force on every node.
///
/// It is a write at a location that no client can name and no tree shows. It is therefore stored, published and
/// repaired with the data, and arrives everywhere before the later writes of its author.
public struct RulesRecord: Equatable, Sendable {
    /// The time of its acceptance, and the accepting writer; the record with the latest stamp is in force.
    public let stamp: Stamp
    /// The document, as its author wrote it.
    public let source: String
    /// The digest of the rules that it replaced where it was accepted; empty for the first.
    public let previous: String

    /// A record; `write` makes it travel.
    public init(stamp: Stamp, source: String, previous: String) {
        (self.stamp, self.source, self.previous) = (stamp, source, previous)
    }

    /// Names the document: its data hash as a string.
    public var digest: String { RulesRecord.digest(of: source) }

    /// Names a document.
    public static func digest(of source: String) -> String { DataHash(of: .string(source)).text }

    /// The place of the write.
    package static let path = Path([Key(unchecked: ".settings"), Key(unchecked: "rules")])

    private static let sourceKey = Key(unchecked: "source")
    private static let previousKey = Key(unchecked: "previous")

    /// The write whose operation sets these rules.
    package static func write(_ source: String, replacing previous: String) -> Write {
        var record = Children()
        record[sourceKey] = .string(source)
        record[previousKey] = .string(previous)
        return Write(path: path, value: Value(record))
    }

    /// The record that an operation sets; nil if it writes data.
    package init?(_ operation: Operation) {
        guard operation.writes.count == 1, operation.writes[0].path == RulesRecord.path else {
            return nil
        }
        let record = operation.writes[0].value
        self.init(
            stamp: operation.stamp, source: record[RulesRecord.sourceKey].text,
            previous: record[RulesRecord.previousKey].text)
    }
}

extension Value {
    /// The string that it is; empty for anything else.
    fileprivate var text: String {
        if case .string(let text) = self { text } else { "" }
    }
}

// MARK: - Bytes

extension MessagePackWriter {
    /// Appends a record: its time, its writer, the document, and what it replaced.
    package mutating func append(_ record: RulesRecord) {
        appendArrayHead(4)
        append(record.stamp.time.bits)
        append(record.stamp.writer.bits)
        append(record.source)
        append(record.previous)
    }
}

extension MessagePackReader {
    /// Takes a record.
    package mutating func rulesRecord() throws(FrameError) -> RulesRecord {
        let start = position
        guard try arrayHead("a record of rules (an array of 4)") == 4 else {
            throw .expected("a record of rules (an array of 4)", found: "another", at: start)
        }
        return RulesRecord(
            stamp: Stamp(time: try time(), writer: try writerID()),
            source: try string("rules"), previous: try string("a digest"))
    }

    /// Takes the path of a write of an operation, which may be that of the rules.
    mutating func operationPath() throws(FrameError) -> Path {
        let start = position
        do throws(FrameError) {
            return try path()
        } catch {
            rewind(to: start)
            guard try string("a path") == RulesRecord.pathText else { throw error }
            return RulesRecord.path
        }
    }
}

extension RulesRecord {
    /// The location as text, as in a batch.
    fileprivate static let pathText = path.keys.map(\.text).joined(separator: "/")
}
