public import ClientCore
public import DataTree
public import Dispatch
internal import EventLoop
public import QueryEngine
internal import Storage
public import SyncProtocol
internal import Synchronization
internal import TLS
internal import Threads

/// A connection to a cluster, on a thread of its own; for any thread.
///
/// `Database` and its references use it. Use it directly to have many writes in flight: each call returns at
/// once. It calls back in order, on `callbackQueue`.
public final class Connection: Sendable {
    /// Nil once the connection is closed, so that no request is left without an answer.
    private let commands: Monitor<Mailbox<Driver.Command>?>
    private let callbacks: Callbacks
    private let clock = NodeClock()
    private let thread: SystemThread
    private let lastNumber = Atomic<UInt64>(0)

    /// Starts a connection that turns to the nodes in the order given, until one answers.
    ///
    /// - Parameters:
    ///   - nodes: Addresses such as `http://127.0.0.1:7001`, `https://db.example.com:7001` for a node with a certificate that the
    ///     system trusts, `https://db.example.com:7001#ca=FILE` with the PEM file of the authority, or
    ///     `https://10.0.0.1:7001#sha256=…` with the fingerprint of its certificate; at least one.
    ///   - secret: An administrator's secret, or a token, for nodes that require one.
    ///   - callbackQueue: Where everything is called back; a serial queue, or the order is lost.
    ///   - persistence: The file for values and unsent writes that the next process needs; nil keeps none.
    /// - Throws: `.unavailable` when the system gives no descriptors or no thread, or the file for
    ///   persistence cannot be used; `.invalid` for a text that is no address or no secret.
    public convenience init(
        nodes: [String], secret: String? = nil,
        callbackQueue: DispatchQueue = DispatchQueue(label: "hearth"),
        persistence: Persistence? = nil
    ) throws(HearthError) {
        try self.init(
            nodes: nodes, secret: secret, Callbacks(on: callbackQueue), persistence, tap: nil)
    }

    /// As above, with an observer of the frames that are sent.
    ///
    /// - Parameter isOnlyExisting: Whether the nodes create no database, whatever they do with unknown names.
    package convenience init(
        nodes: [String], secret: String? = nil,
        callbackQueue: DispatchQueue = DispatchQueue(label: "hearth"),
        persistence: Persistence? = nil, tap: ConnectionTap?,
        onlyExisting isOnlyExisting: Bool = false
    ) throws(HearthError) {
        try self.init(
            nodes: nodes, secret: secret, Callbacks(on: callbackQueue), persistence, tap: tap,
            onlyExisting: isOnlyExisting)
    }

    package init(
        nodes: [String], secret: String?, _ callbacks: Callbacks, _ persistence: Persistence?,
        tap: ConnectionTap?, onlyExisting isOnlyExisting: Bool = false
    ) throws(HearthError) {
        try Connection.check(nodes)
        let secret = try secret.map(Connection.secret)
        let store = try persistence.map(Connection.store)
        var configuration = Configuration(
            nodes: nodes, writer: WriterID(bits: .random(in: 1 ... .max)))
        configuration.isPersistent = store != nil
        let loop: Loop
        do throws(EventLoopError) {
            loop = try Loop()
            let driver = try Driver(
                configuration, showing: secret, on: loop, callbacks, clock, store, tap,
                onlyExisting: isOnlyExisting)
            let commands = loop.mailbox { driver.handle($0) }
            driver.commands = commands
            self.commands = Monitor(commands)
        } catch {
            throw HearthError(.unavailable, error.problem, fix: error.fix)
        }
        guard let thread = SystemThread(running: { loop.run() }) else {
            throw HearthError(
                .unavailable, "the system has no room for another thread",
                fix: "raise the limit with `ulimit -u`, or close connections")
        }
        self.callbacks = callbacks
        self.thread = thread
    }

    deinit {
        // Not joined: the last reference may go in a completion, on the very thread.
        stop()
    }

    /// The queue of all callbacks from the next turn on. It must be serial to preserve their order.
    public var callbackQueue: DispatchQueue {
        get { callbacks.queue }
        set { callbacks.queue = newValue }
    }

    /// The node's wall clock, as far as it is known, in milliseconds since 1970. Programs that make keys by it
    /// make them in one order.
    public var nodeMilliseconds: UInt64 { clock.milliseconds }

    /// Why persistence has failed, as when the disk is full; nil while it works.
    public var persistenceFailure: HearthError? { callbacks.persistenceFailure }

    /// Closes the connection and waits until its thread has ended; unanswered requests fail.
    public func close() {
        stop()
        thread.join()
    }

    /// Drops the connection to the node, and connects to none before `goOnline()`.
    ///
    /// Writes show here and wait.
    public func goOffline() { post(.step(.wentOffline)) }

    /// Connects again after `goOffline()`.
    public func goOnline() { post(.step(.wentOnline)) }

    /// Turns to the next node, and repeats unanswered requests there.
    public func leaveNode() { post(.step(.leftNode)) }

    /// Takes back all unanswered writes, with transactions and on-disconnect writes: they fail with the code
    /// `cancelled`, and listeners no longer see them.
    public func purgeWrites() { post(.step(.purged)) }

    /// Sends this token, or a secret, to nodes; nil sends none. It applies to requests that are
    /// sent later.
    ///
    /// - Throws: `.invalid` for a text that is neither.
    public func show(_ token: String?) throws(HearthError) {
        post(.show(try token.map(Connection.secret)))
    }

    /// The block to call, on `callbackQueue`, when the token has expired and nodes treat this
    /// program as not signed in.
    public var tokenExpired: (@Sendable () -> Void)? {
        get { callbacks.tokenExpired }
        set { callbacks.tokenExpired = newValue }
    }

    /// Hands a command to the connection's thread; false once the connection is closed.
    @discardableResult
    private func post(_ command: Driver.Command) -> Bool {
        // Within the lock, so that nothing comes behind the command to stop.
        commands.withLock { commands in
            commands?.post(command)
            return commands != nil
        }
    }

    private func stop() {
        commands.withLock { commands in
            commands?.post(.stop)
            commands = nil
        }
    }

    /// Fails a request that was made after `close()`.
    private func refuse(_ refusal: @escaping @Sendable (HearthError) -> Void) {
        callbacks.run([{ refusal(.closed(effect: .none)) }])
    }

    private func nextNumber() -> UInt64 {
        lastNumber.add(1, ordering: .relaxed).newValue
    }
}

// MARK: - Requests

extension Connection {
    /// Takes the outcome of a request.
    public typealias Completion = @Sendable (Result<Answer, HearthError>) -> Void

    /// Sends a request that is not a transaction; listeners see writes at once.
    ///
    /// Unanswered requests are repeated at the next node: writes carry stamps, and are done once.
    public func send(
        _ work: Request.Work, patience: Request.Patience = .endless,
        concern: WriteConcern? = nil, completion: @escaping Completion
    ) {
        let id = RequestID(number: nextNumber())
        let request = Request(id, work, patience: patience, concern: concern)
        if !post(.ask(request, completion)) { refuse { completion(.failure($0)) } }
    }

    /// Replaces the value at a path by the result of a function of it.
    ///
    /// - Parameters:
    ///   - path: Where.
    ///   - visibility: Whether listeners here see the outcome before the node has taken it.
    ///   - scope: Whether the cluster's coordinator decides, or the node that is connected.
    ///   - patience: How long an answer is waited for.
    ///   - update: Called with the value as far as it is known here, at first maybe null; called again if
    ///     another write came in between, 25 times at most. It must have no effect but its result.
    ///   - completion: Takes `.committed` or `.aborted` with the present value.
    public func transact(
        at path: Path, _ visibility: WriteVisibility = .shown,
        scope: Request.TransactionScope = .cluster,
        patience: Request.Patience = .endless,
        update: @escaping @Sendable (Value) -> ClientCore.TransactionResult,
        completion: @escaping Completion
    ) {
        let id = RequestID(number: nextNumber())
        let request = Request(id, .transact(path, visibility, scope), patience: patience)
        if !post(.transact(request, update, completion)) { refuse { completion(.failure($0)) } }
    }
}

// MARK: - Listens

extension Connection {
    /// Listens to a query at a path until `unlisten(_:)`, through any number of reconnections.
    ///
    /// Without a kind of event there are no calls, but the value that the query shows is kept up to date here.
    ///
    /// - Parameters:
    ///   - path: Where.
    ///   - query: The children to show, and their order.
    ///   - kinds: The kinds of events that are made; others cost nothing.
    ///   - observed: Takes the events of one change.
    ///   - ended: Takes the reason when the node ends the listen.
    public func listen(
        at path: Path, to query: Query = Query(), for kinds: ViewEvent.Kinds,
        observed: @escaping @Sendable ([ViewEvent]) -> Void,
        ended: @escaping @Sendable (HearthError) -> Void
    ) -> ListenID {
        let id = ListenID(number: nextNumber())
        let listener = Driver.Listener(observed: observed, ended: ended)
        if !post(.listen(id, path, query, kinds, listener)) { refuse(ended) }
        return id
    }

    /// Ends a listen; events that are on their way may still arrive.
    public func unlisten(_ id: ListenID) { post(.unlisten(id)) }
}
