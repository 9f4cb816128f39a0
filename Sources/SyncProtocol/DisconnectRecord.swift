package import DataTree

/// The on-disconnect writes of one session as nodes send and store them, so that they outlive their node.
///
/// An operation may have records beside its writes. They are no part of the tree: no client, query, export or digest
/// shows them. They are stored, published and repaired with the operation. Of two records with one name, the one whose
/// operation has the later stamp counts.
package struct DisconnectRecord: Equatable, Sendable {
    /// The session: the incarnation of its node, and its number there.
    package struct Name: Hashable, Comparable, Sendable {
        package var writer: WriterID
        package var session: UInt64

        package init(writer: WriterID, session: UInt64) {
            (self.writer, self.session) = (writer, session)
        }

        package static func < (a: Name, b: Name) -> Bool {
            (a.writer, a.session) < (b.writer, b.session)
        }
    }

    package struct Content: Equatable, Sendable {
        /// The name of the node.
        package var member: String
        /// The client's identity, in an encoding of the replicas.
        package var principal: [UInt8]
        /// None at or below another. Their server values are unresolved.
        package var writes: [Write]

        package init(member: String, principal: [UInt8], writes: [Write]) {
            self.member = member
            self.principal = principal
            self.writes = writes
        }
    }

    package var name: Name
    /// Nil once the writes are done, or cancelled.
    package var content: Content?

    package init(_ name: Name, _ content: Content?) {
        self.name = name
        self.content = content
    }
}

// MARK: - Bytes

extension MessagePackWriter {
    /// Appends `[writer, session]`, then nil or `[member, principal, [path, value, …]]`.
    package mutating func append(_ record: DisconnectRecord) {
        appendArrayHead(2)
        append(record.name.writer.bits)
        append(record.name.session)
        append(record.content)
    }

    package mutating func append(_ content: DisconnectRecord.Content?) {
        guard let content else { return appendNil() }
        appendArrayHead(3)
        append(content.member)
        append(binary: content.principal)
        appendArrayHead(2 * content.writes.count)
        for write in content.writes {
            append(write.path)
            append(write.value)
        }
    }
}

extension MessagePackReader {
    /// Takes a record.
    mutating func disconnectRecord() throws(FrameError) -> DisconnectRecord {
        let start = position
        guard try arrayHead("the name of a record (an array of 2)") == 2 else {
            throw .expected("the name of a record (an array of 2)", found: "another", at: start)
        }
        let name = DisconnectRecord.Name(
            writer: try writerID(), session: try unsigned("the number of a session"))
        return DisconnectRecord(name, try disconnectContent())
    }

    /// Takes the content of a record; nil for a removed one.
    package mutating func disconnectContent() throws(FrameError) -> DisconnectRecord.Content? {
        if takeNil() { return nil }
        let start = position
        guard try arrayHead("on-disconnect writes (an array of 3)") == 3 else {
            throw .expected("on-disconnect writes (an array of 3)", found: "another", at: start)
        }
        let (member, principal) = (try string("a member"), try binary("an identity"))
        let place = position
        let count = try arrayHead("an array of paths and values")
        guard count.isMultiple(of: 2) else {
            throw .expected("a value for each path", found: "\(count) elements", at: place)
        }
        let writes = try elements(count / 2) { reader throws(FrameError) in
            Write(path: try reader.path(), value: try reader.value())
        }
        return DisconnectRecord.Content(member: member, principal: principal, writes: writes)
    }
}
