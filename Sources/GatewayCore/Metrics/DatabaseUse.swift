public import SyncProtocol

/// The use of a database at a node, besides its connections, which the gateway itself counts.
public struct DatabaseUse: Equatable, Sendable {
    /// The state of a database at a node.
    public enum State: String, Sendable {
        case awake, asleep, opening
    }

    /// The database.
    public let name: DatabaseName
    /// Its state.
    public var state: State
    /// The bytes of its data: those when it fell asleep, or of its file if it has not been awake in this process.
    public var dataBytes: Int
    /// Whether that is no exact size: the data are still being counted, or were when it fell asleep, or it is that of the file.
    public var isEstimate: Bool
    /// The operations of all nodes in it; nil if it has not been awake in this process.
    public var operations: Int?
    /// How often its limits have refused a request.
    public var refusals: [DatabaseLimits.Kind: Int]

    /// The use of a database.
    public init(
        _ name: DatabaseName, _ state: State, dataBytes: Int, isEstimate: Bool = false,
        operations: Int? = nil, refusals: [DatabaseLimits.Kind: Int] = [:]
    ) {
        (self.name, self.state) = (name, state)
        (self.dataBytes, self.isEstimate) = (dataBytes, isEstimate)
        (self.operations, self.refusals) = (operations, refusals)
    }
}

/// The files of a database that a node keeps aside, because they may have operations that no other node has.
public struct KeptDatabase: Equatable, Sendable {
    /// The name of their folder.
    public let entry: String
    /// The database.
    public let name: DatabaseName
    /// Their size.
    public let bytes: Int

    /// Files in a folder.
    public init(_ entry: String, of name: DatabaseName, bytes: Int) {
        (self.entry, self.name, self.bytes) = (entry, name, bytes)
    }
}
