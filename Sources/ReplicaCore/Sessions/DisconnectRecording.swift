import DataTree
import Rules
import SyncProtocol

// The records of on-disconnect writes: an operation of this node registers them with all nodes, and the end of the
// session removes them with the operation that does them.

extension Replica {
    /// About how many bytes of records one operation has.
    private static let recordBytes = 256 << 10

    /// Makes the records of sessions whose on-disconnect writes or identities have changed in this turn.
    mutating func recordDisconnects() {
        guard sessions.disconnects.hasChanged, mayRecord else { return }
        presence.registered = nil
        var (records, bytes): ([DisconnectRecord], Int) = ([], 0)
        for (session, writes) in sessions.disconnects.takeChanged() {
            records += self.records(of: session, writes)
            bytes += writes.reduce(64) { $0 + $1.path.utf8Count + $1.value.estimatedSize }
            if bytes > Replica.recordBytes {
                accept([], for: nil, recording: records)
                (records, bytes) = ([], 0)
            }
        }
        if !records.isEmpty { accept([], for: nil, recording: records) }
    }

    /// Whether this replica makes records: it may make operations, and no peer is of a version that cannot read them.
    private var mayRecord: Bool {
        !lifecycle.isRejoining && storageFailure == nil
            && replication.peers.all.allSatisfy {
                $0.disk.isStated || $0.disk.version == nil && replication.peers.isOut($0)
            }
    }

    /// The record of a session that is to be made, and the earlier one that is to be removed.
    private mutating func records(of session: SessionID, _ writes: [Write]) -> [DisconnectRecord] {
        let last = sessions.disconnects.record(of: session)
        let principal = sessions.access.principal(of: session).recorded
        let bytes = writes.reduce(principal.count) {
            $0 + 64 + $1.path.utf8Count + $1.value.estimatedSize
        }
        let isAdmitted = sessions.disconnects.admitsRecord(of: session, byteCount: bytes)
        if writes.isEmpty || !isAdmitted {
            sessions.disconnects.note(nil, of: session)
            return last.map { [DisconnectRecord($0, nil)] } ?? []
        }
        let name = DisconnectRecord.Name(writer: writer, session: session.number)
        sessions.disconnects.note(name, of: session, byteCount: bytes)
        let content = DisconnectRecord.Content(
            member: configuration.member, principal: principal, writes: writes)
        // This node may have rejoined as another writer.
        let removed = last.flatMap { $0 == name ? nil : DisconnectRecord($0, nil) }
        return [DisconnectRecord(name, content)] + (removed.map { [$0] } ?? [])
    }
}

// MARK: - Identities

extension Principal {
    /// The identity in a record: `[kind, name or claim]`.
    var recorded: [UInt8] {
        var writer = MessagePackWriter()
        writer.appendArrayHead(2)
        switch self {
        case .administrator(let name):
            writer.append(UInt64(0))
            if let name { writer.append(name) } else { writer.appendNil() }
        case .monitor:
            writer.append(UInt64(1))
            writer.appendNil()
        case .user(let claim):
            writer.append(UInt64(2))
            writer.append(claim)
        case .override(let claim):
            writer.append(UInt64(3))
            writer.append(claim)
        }
        return writer.bytes
    }

    /// The identity in a record; nil if it cannot be read.
    init?(recorded bytes: [UInt8]) {
        let read = try? bytes.span.bytes.withUnsafeBytes { bytes throws(FrameError) -> Principal in
            var reader = MessagePackReader(bytes)
            _ = try reader.arrayHead("an identity")
            switch try reader.unsigned("a kind of identity") {
            case 0:
                return .administrator(name: reader.takeNil() ? nil : try reader.string("a name"))
            case 2: return .user(try reader.claim())
            case 3: return .override(try reader.claim())
            default: return .monitor
            }
        }
        guard let read else { return nil }
        self = read
    }
}

extension MessagePackWriter {
    /// Appends `[kind, …]`: a claim has forms that a value has not.
    fileprivate mutating func append(_ claim: Claim) {
        switch claim {
        case .null: appendNil()
        case .boolean(let boolean):
            appendArrayHead(2)
            append(UInt64(0))
            append(boolean)
        case .number(let number):
            appendArrayHead(2)
            append(UInt64(1))
            append(number.bitPattern)
        case .string(let text):
            appendArrayHead(2)
            append(UInt64(2))
            append(text)
        case .array(let elements):
            appendArrayHead(1 + elements.count)
            append(UInt64(3))
            for element in elements { append(element) }
        case .object(let members):
            appendArrayHead(1 + 2 * members.count)
            append(UInt64(4))
            for member in members {
                append(member.name)
                append(member.value)
            }
        }
    }
}

extension MessagePackReader {
    /// The deepest claim: no token nests deeper.
    private static let deepestClaim = 64

    fileprivate mutating func claim(depth: Int = 0) throws(FrameError) -> Claim {
        if takeNil() { return .null }
        let start = position
        let count = try arrayHead("a claim")
        guard count > 0, depth < MessagePackReader.deepestClaim else {
            throw FrameError(
                offset: start, problem: "no claim is at byte \(start)",
                fix: "store claims as a replica encodes them")
        }
        switch try unsigned("a kind of claim") {
        case 0: return .boolean(try boolean("a boolean"))
        case 1: return .number(Double(bitPattern: try unsigned("a number")))
        case 2: return .string(try string("a string"))
        case 3:
            return .array(
                try elements(count - 1) { reader throws(FrameError) in
                    try reader.claim(depth: depth + 1)
                })
        default:
            return Claim(
                members: try elements((count - 1) / 2) { reader throws(FrameError) in
                    Claim.Member(
                        try reader.string("a name"), try reader.claim(depth: depth + 1))
                })
        }
    }
}
