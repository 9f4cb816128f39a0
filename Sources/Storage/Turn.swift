/// Is a row of the log: the operations `first...last` of one origin, in the bytes that travel.
public struct StoredBatch: Equatable, Sendable {
    public let origin: UInt64
    public let first: UInt64
    public let last: UInt64
    public let bytes: [UInt8]

    /// Makes a row; sequences ascend and stay below 2^63.
    public init(origin: UInt64, first: UInt64, last: UInt64, bytes: [UInt8]) {
        precondition(
            first <= last && last <= UInt64(Int64.max),
            "a batch holds an ascending range of sequences below 2^63, got \(first)...\(last)")
        self.origin = origin
        self.first = first
        self.last = last
        self.bytes = bytes
    }
}

/// Is a named value that the log file keeps beside the log, such as the node's incarnation.
public struct StoredProperty: Equatable, Sendable {
    public let name: String
    /// Nil takes the property away.
    public let value: [UInt8]?

    public init(_ name: String, _ value: [UInt8]?) {
        self.name = name
        self.value = value
    }
}

/// Is what one turn of a node's loop leaves on disk, all of it or nothing.
public struct Turn: Equatable, Sendable {
    public var batches: [StoredBatch]
    public var properties: [StoredProperty]
    /// Whether what was set aside goes.
    public var clearsOrphans: Bool

    public init(
        batches: [StoredBatch] = [], properties: [StoredProperty] = [], clearsOrphans: Bool = false
    ) {
        self.batches = batches
        self.properties = properties
        self.clearsOrphans = clearsOrphans
    }

    var byteCount: Int {
        batches.reduce(0) { $0 + $1.bytes.count }
    }
}
