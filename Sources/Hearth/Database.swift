internal import ClientCore
internal import DataTree
public import Dispatch
internal import Foundation
public import SyncProtocol
internal import Threads

/// A cluster, as a program sees it: the way to its references.
///
///     let database = Database.database(url: "tcp://127.0.0.1:7001")
///     let messages = database.reference(withPath: "rooms/lobby/messages")
///     try await messages.childByAutoId().setValue(["text": "hello"])
///
/// All references of a database share one connection, which turns to the next node when one does
/// not answer.
public final class Database: Sendable {
    /// The connection that the references share, or why there is none.
    let connection: Result<Connection, HearthError>
    let observers = Monitor(Observers())
    private let concern = Monitor<WriteConcern?>(nil)

    private static let databases = Monitor<[String: Database]>([:])

    /// Connects to the first of these nodes that answers.
    ///
    /// - Parameters:
    ///   - nodes: Addresses such as `tcp://127.0.0.1:7001`, or `tcp://10.0.0.1:7001?key=…` with the
    ///     node's public key; at least one.
    ///   - keyFile: Who this program is to nodes with keys: a file that `hearth keys new` made.
    ///   - persistence: Where what is known, and what is not sent yet, is kept for the next process.
    public init(nodes: [String], keyFile: String? = nil, persistence: Persistence? = nil) {
        connection = Result { () throws(HearthError) in
            try Connection(nodes: nodes, keyFile: keyFile, persistence: persistence)
        }
    }

    /// The database at the nodes that the environment variable `HEARTH_NODES` lists, separated by
    /// commas, or else at `tcp://127.0.0.1:7001`; the same one each time.
    public static func database() -> Database {
        let nodes = ProcessInfo.processInfo.environment["HEARTH_NODES"] ?? ""
        return database(url: nodes.isEmpty ? "tcp://127.0.0.1:7001" : nodes)
    }

    /// The database at the nodes with these addresses, separated by commas; the same one each time.
    public static func database(url: String) -> Database {
        databases.withLock { databases in
            if let database = databases[url] { return database }
            let nodes = url.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            let database = Database(nodes: nodes)
            databases[url] = database
            return database
        }
    }

    /// On how many nodes writes have to be durable before they are done; nil, as it is unless set, leaves
    /// that to the node that takes them, whose durability mode decides.
    ///
    /// A reference may say otherwise (`DatabaseReference.withWriteConcern(_:)`).
    public var writeConcern: WriteConcern? {
        get { concern.withLock(\.self) }
        set { concern.withLock { $0 = newValue } }
    }

    /// The root.
    public func reference() -> DatabaseReference { DatabaseReference(self, .root) }

    /// The place at a path, such as `rooms/lobby`; an invalid path is a mistake of the program.
    public func reference(withPath path: String) -> DatabaseReference {
        reference().child(path)
    }

    /// Where everything is called back, in order; a serial queue of the database's own unless set.
    ///
    /// A program with a main loop may set `.main`.
    public var callbackQueue: DispatchQueue {
        get {
            switch connection {
            case .success(let connection): connection.callbackQueue
            case .failure: .main
            }
        }
        set {
            if case .success(let connection) = connection { connection.callbackQueue = newValue }
        }
    }

    /// Drops the connection until `goOnline()`; writes are shown to observers here and wait.
    public func goOffline() {
        if case .success(let connection) = connection { connection.goOffline() }
    }

    /// Connects again after `goOffline()`, and sends what waits.
    public func goOnline() {
        if case .success(let connection) = connection { connection.goOnline() }
    }

    /// Closes the connection; what is not answered yet fails.
    public func close() {
        if case .success(let connection) = connection { connection.close() }
    }
}
