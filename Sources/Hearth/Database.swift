public import ClientCore
internal import DataTree
public import Dispatch
internal import Foundation
public import SyncProtocol
internal import Threads

/// A cluster, as a program sees it: the way to its references.
///
///     let database = Database.database(url: "http://127.0.0.1:7001")
///     let messages = database.reference(withPath: "rooms/lobby/messages")
///     try await messages.childByAutoId().setValue(["text": "hello"])
///
/// All references of a database share one connection, which begins with the first call that needs it, and
/// turns to the next node when one does not answer.
public final class Database: Sendable {
    let observers = Monitor(Observers())
    let delivery: Delivery
    /// The addresses of nodes, in the order in which they are tried.
    let nodes: [String]
    /// The credential of this program.
    private let shown: Monitor<ShownCredential>
    private let callbacks = Callbacks(on: DispatchQueue(label: "hearth"))
    private let settings: Monitor<Settings>

    private struct Settings: Sendable {
        /// Nil before the first use.
        var connection: Result<Connection, HearthError>?
        var persistence: Persistence?
        var isPersistenceEnabled: Bool
        var cacheSizeBytes: UInt = 10 << 20
        var concern: WriteConcern?
        var readTimeout = Duration.seconds(10)
    }

    private struct DatabaseKey: Hashable {
        let url: String
        let shown: ShownCredential
    }

    private static let databases = Monitor<[DatabaseKey: Database]>([:])

    /// Takes the addresses of nodes, which are tried in turn until one answers.
    ///
    /// With an invalid address, or none at all, each call fails at once with the code `invalid`.
    ///
    /// - Parameters:
    ///   - nodes: Addresses such as `http://127.0.0.1:7001`, `https://db1.example.com:7001` with a certificate that
    ///     the system trusts, the same with `#ca=FILE` and the PEM file of the authority, or
    ///     `https://10.0.0.1:7001#sha256=…` with the fingerprint of the node's certificate; at least one. `?ns=chat`
    ///     after the port of each of them names a database of the cluster.
    ///   - secret: An administrator's secret, for a program that may read and write everything: the text in a file that
    ///     `hearth keys secret` made.
    ///   - persistence: The file that keeps values and unsent writes for the next process.
    public convenience init(
        nodes: [String], secret: String? = nil, persistence: Persistence? = nil
    ) {
        self.init(nodes: nodes, showing: secret.map(ShownCredential.text) ?? .nothing, persistence)
    }

    private init(nodes: [String], showing shown: ShownCredential, _ persistence: Persistence?) {
        self.nodes = nodes
        self.shown = Monitor(shown)
        delivery = Delivery(counting: callbacks)
        settings = Monitor(
            Settings(persistence: persistence, isPersistenceEnabled: persistence != nil))
    }

    /// The database at the nodes that the environment variable `HEARTH_NODES` lists, separated by
    /// commas, or else at `http://127.0.0.1:7001`; the same one each time.
    ///
    /// `HEARTH_TOKEN` is the token of this program, or the name of its file. Without it,
    /// `HEARTH_SECRET_FILE` names the file of an administrator's secret.
    public static func database() -> Database {
        let environment = ProcessInfo.processInfo.environment
        let nodes = environment["HEARTH_NODES"] ?? ""
        return database(
            url: nodes.isEmpty ? "http://127.0.0.1:7001" : nodes,
            showing: ShownCredential(environment))
    }

    /// The database at the nodes with these addresses, separated by commas; the same one each time.
    ///
    /// `http://127.0.0.1:7001?ns=chat` is the database `chat`. All addresses name the same database.
    public static func database(url: String) -> Database {
        database(url: url, showing: .nothing)
    }

    private static func database(url: String, showing shown: ShownCredential) -> Database {
        let key = DatabaseKey(url: url, shown: shown)
        return databases.withLock { databases in
            if let database = databases[key] { return database }
            let nodes = url.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            let database = Database(nodes: nodes, showing: shown, nil)
            databases[key] = database
            return database
        }
    }

    /// The connection that the references share, or the reason why there is none.
    var connection: Result<Connection, HearthError> {
        settings.withLock { settings in
            if let connection = settings.connection { return connection }
            let connection = Result { () throws(HearthError) in
                let secret = try shown.withLock { $0 }.text()
                return try Connection(
                    nodes: nodes, secret: secret, callbacks, persistence(settings), tap: nil)
            }
            if case .failure(let error) = connection { Log.warn(error.description) }
            settings.connection = connection
            return connection
        }
    }

    private func persistence(_ settings: Settings) throws(HearthError) -> Persistence? {
        guard settings.isPersistenceEnabled else { return nil }
        if let persistence = settings.persistence { return persistence }
        return try .standard(for: nodes, byteLimit: Int(clamping: settings.cacheSizeBytes))
    }
}

// MARK: - References

extension Database {
    /// The root.
    public func reference() -> DatabaseReference { DatabaseReference(self, .root) }

    /// The place at a path, such as `rooms/lobby`; each use of an invalid one fails with the code `invalid`.
    public func reference(withPath path: String) -> DatabaseReference {
        reference().child(path)
    }

    /// The place that `DatabaseReference.url` names.
    ///
    /// If the text is no such URL, or names another node than the first one of this database, each
    /// use of the result fails with the code `invalid`.
    public func reference(fromURL url: String) -> DatabaseReference {
        do throws(DataError) {
            let path = try Path(url: url)
            let address = url.prefix { $0 != "?" }
            guard address == baseURL || address.hasPrefix(baseURL + "/"),
                url.dropFirst(address.count) == baseQuery
            else {
                throw DataError(
                    problem: "\(url) is not in the database at \(baseURL)\(baseQuery)",
                    fix: "make a database with the address in the URL, or correct the URL")
            }
            return DatabaseReference(self, path)
        } catch {
            return reference().invalid(url, .misuse(error))
        }
    }

    /// The address of the first node, without the fingerprint of its certificate and the name of the database.
    var baseURL: String { String((nodes.first ?? "").prefix { $0 != "#" && $0 != "?" }) }

    /// The part of URLs behind the path that names the database; empty for the default database.
    var baseQuery: String {
        String((nodes.first ?? "").drop { $0 != "?" }.prefix { $0 != "#" })
    }
}

// MARK: - Settings

extension Database {
    /// On how many nodes writes must be durable before they are acknowledged. With nil, the
    /// default, the durability mode of the accepting node decides.
    ///
    /// A reference may say otherwise (`DatabaseReference.withWriteConcern(_:)`).
    public var writeConcern: WriteConcern? {
        get { settings.withLock(\.concern) }
        set { settings.withLock { $0.concern = newValue } }
    }

    /// How long `getData` waits for a node before it fails: 10 seconds unless set.
    public var readTimeout: Duration {
        get { settings.withLock(\.readTimeout) }
        set { settings.withLock { $0.readTimeout = newValue } }
    }

    /// The queue for blocks outside actors; the main queue by default, as in Firebase. It must be
    /// serial to preserve the order of blocks.
    ///
    /// Blocks in main-actor code are always called on the main actor. The main thread must run the
    /// main queue: by `dispatchMain()`, a run loop, or an asynchronous `main`. In other programs,
    /// such as one whose main thread waits for a semaphore, no block is called there. Such a
    /// program must set another queue, or use the asynchronous calls and sequences, which need
    /// none.
    public var callbackQueue: DispatchQueue {
        get { delivery.queue }
        set { delivery.queue = newValue }
    }

    /// Whether values and unsent writes are kept for the next process, in a file for each program and cluster in
    /// the user's data folder (`~/.local/share/hearth`).
    ///
    /// It must be set before the database is first used. A later change has no effect, and the SDK logs that.
    /// One process has the file at a time: all calls of a second one fail with the code `unavailable`.
    public var isPersistenceEnabled: Bool {
        get { settings.withLock(\.isPersistenceEnabled) }
        set {
            change("isPersistenceEnabled", \.isPersistenceEnabled, to: newValue)
        }
    }

    /// How many bytes of values are kept with `isPersistenceEnabled`: 10 MB unless set.
    ///
    /// It must be set before the database is first used. A later change has no effect, and the SDK logs that.
    public var persistenceCacheSizeBytes: UInt {
        get { settings.withLock(\.cacheSizeBytes) }
        set { change("persistenceCacheSizeBytes", \.cacheSizeBytes, to: newValue) }
    }

    /// Changes a setting that the connection reads when it begins.
    private func change<Content: Equatable>(
        _ name: String, _ setting: any WritableKeyPath<Settings, Content> & Sendable,
        to new: Content
    ) {
        let isTooLate = settings.withLock { settings in
            if settings.connection != nil { return settings[keyPath: setting] != new }
            settings[keyPath: setting] = new
            return false
        }
        guard isTooLate else { return }
        Log.warn(
            "\(name) was changed after the first use of the database, which has no effect; "
                + "set it before")
    }

    /// Whether the SDK logs on standard error to which node it is connected, and when it loses it.
    ///
    /// Two events are always logged, because no callback reports them: the failure of a write
    /// without a completion block, and a listen without an index that the nodes require.
    public static func setLoggingEnabled(_ enabled: Bool) {
        Log.isOn.store(enabled, ordering: .relaxed)
    }
}

// MARK: - Who this program is

extension Database {
    /// Shows this token to nodes from now on: what follows is done as its user, as the cluster's rules permit.
    ///
    /// Call it again with a new token before this one expires, or when `tokenExpirationHandler` is called.
    ///
    /// - Throws: `.invalid` for a text that no token can be.
    public func signIn(withToken token: String) throws(HearthError) {
        _ = try Connection.secret(token)
        shown.withLock { $0 = .text(token) }
        if let connection = settings.withLock({ try? $0.connection?.get() }) {
            try connection.show(token)
        }
    }

    /// Signs out: later requests have no user.
    public func signOut() {
        shown.withLock { $0 = .nothing }
        if let connection = settings.withLock({ try? $0.connection?.get() }) {
            try? connection.show(nil)
        }
    }

    /// The block to call when the token has expired. Until the program signs in again, nodes treat
    /// it as not signed in.
    public var tokenExpirationHandler: (@Sendable () -> Void)? {
        get { callbacks.tokenExpired }
        set { callbacks.tokenExpired = newValue }
    }
}

// MARK: - Connection

extension Database {
    /// Drops the connection until `goOnline()`; observers here see writes, which wait, and reads of data that no
    /// observer keeps up to date fail.
    public func goOffline() {
        if case .success(let connection) = connection { connection.goOffline() }
    }

    /// Connects again after `goOffline()`, and sends the writes that wait.
    public func goOnline() {
        if case .success(let connection) = connection { connection.goOnline() }
    }

    /// Takes back all unanswered writes, with transactions and on-disconnect writes.
    ///
    /// Observers no longer see them, and they fail with the code `cancelled`. A write that is on its way to a node
    /// may still happen; its error has the effect `unknown`.
    public func purgeOutstandingWrites() {
        if case .success(let connection) = connection { connection.purgeWrites() }
    }

    /// Closes the connection; unanswered requests fail, and so do all later ones.
    public func close() {
        if case .success(let connection) = connection { connection.close() }
    }
}
