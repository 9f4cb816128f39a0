import DataTree

/// `["backup", id, name]`: has the node write a copy of its database. Answered by `value` with the
/// path of the copy.
public struct BackupRequest: Equatable, Sendable {
    /// The name of the file.
    public var name: String
}

/// The rule for names of backups, which are names of files.
public enum BackupName {
    /// The characters and the length that a name may have.
    public static let fix = "use 1 to 64 letters, digits, - and _"

    /// Whether nodes accept a name.
    public static func isValid(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

/// `["evict", id, member]`: has the cluster go on without a member. Answered by `ok` once this node votes
/// for it, or by the error `unavailable` where it does not reach more than half of all, which have to.
public struct EvictRequest: Equatable, Sendable {
    /// The member that is voted out.
    public var member: String
}

/// `["awaitStable", id, milliseconds]`: answered by `ok` once all earlier writes of all nodes have arrived, so that
/// they no longer change the data. After the given time, the answer is the error `not_stable` with the names of the
/// missing nodes.
public struct AwaitStableRequest: Equatable, Sendable {
    /// The limit.
    public var milliseconds: UInt64
}

/// `["hello", id, {origin: sequence, …}]`: begins a session, or goes on with the one that the client
/// had at another node. Answered by `ready` once this node holds all that the client has seen, or by the error
/// `behind`. From then on frames end with `seen`. After the refusal of a stamp no other one is taken before the
/// next hello.
public struct HelloRequest: Equatable, Sendable {
    /// The operations that the client has seen.
    public var seen: VersionVector
}

/// `["ping", id]`, answered by `value` with the node's wall clock, in milliseconds since 1970: shows that the
/// connection works.
public struct PingRequest: Equatable, Sendable {}

/// `["status", id]`, answered by `value` with a `NodeStatus`.
public struct StatusRequest: Equatable, Sendable {}

// MARK: - Bytes

extension BackupRequest: RequestContent {
    static var name: StaticString { "backup" }
    static var kind: RequestKind { .action }

    var rulesCheck: RulesCheck { .monitors }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(name) }

    init(from reader: inout RequestReader) throws(FrameError) {
        name = try reader.elements.string("the name of a backup")
    }
}

extension EvictRequest: RequestContent {
    static var name: StaticString { "evict" }
    static var kind: RequestKind { .action }
    static var needsMember: Bool { true }

    var rulesCheck: RulesCheck { .administratorsOnly }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(member) }

    init(from reader: inout RequestReader) throws(FrameError) {
        member = try reader.elements.string("a member")
    }
}

extension AwaitStableRequest: RequestContent {
    static var name: StaticString { "awaitStable" }
    static var kind: RequestKind { .report }
    static var needsMember: Bool { true }

    /// It occupies one of the few places for waiting clients, which anonymous clients could fill.
    var rulesCheck: RulesCheck { .signedIn }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(milliseconds) }

    init(from reader: inout RequestReader) throws(FrameError) {
        milliseconds = try reader.elements.unsigned("a limit in milliseconds")
    }
}

extension HelloRequest: RequestContent {
    static var name: StaticString { "hello" }
    static var kind: RequestKind { .read }

    var rulesCheck: RulesCheck { .none }

    func appendElements(to writer: inout MessagePackWriter) { writer.append(seen) }

    init(from reader: inout RequestReader) throws(FrameError) {
        seen = try reader.elements.vector()
    }
}

extension PingRequest: RequestContent {
    static var name: StaticString { "ping" }
    static var elementCount: Int { 0 }
    static var kind: RequestKind { .read }

    var rulesCheck: RulesCheck { .none }

    func appendElements(to writer: inout MessagePackWriter) {}

    init(from reader: inout RequestReader) throws(FrameError) {}
}

extension StatusRequest: RequestContent {
    static var name: StaticString { "status" }
    static var elementCount: Int { 0 }
    static var kind: RequestKind { .report }

    var rulesCheck: RulesCheck { .monitors }

    func appendElements(to writer: inout MessagePackWriter) {}

    init(from reader: inout RequestReader) throws(FrameError) {}
}
