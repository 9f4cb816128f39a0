public import ClientCore
public import DataTree
public import Dispatch
internal import EventLoop
public import QueryEngine
internal import Storage
public import SyncProtocol
internal import Synchronization
internal import Threads
internal import ZeroMQ

/// A connection to a cluster, on a thread of its own; for any thread.
///
/// This is what `Database` and its references stand on. Use it directly where many writes are to be
/// in flight at once: each call returns at once. What it calls back with comes in order, on
/// `callbackQueue`.
public final class Connection: Sendable {
    /// Nil once the connection is closed, so that nothing is asked that nobody answers.
    private let commands: Monitor<Mailbox<Driver.Command>?>
    private let callbacks: Callbacks
    private let clock = NodeClock()
    private let thread: SystemThread
    private let lastNumber = Atomic<UInt64>(0)

    /// Starts a connection that turns to the nodes in the order given, until one answers.
    ///
    /// - Parameters:
    ///   - nodes: Addresses such as `tcp://127.0.0.1:7001`, or `tcp://10.0.0.1:7001?key=…` with the
    ///     node's public key; at least one.
    ///   - keyFile: Who this program is to nodes with keys: a file that `hearth keys new` made.
    ///   - callbackQueue: Where everything is called back; a serial queue, or the order is lost.
    ///   - persistence: Where what is known is kept for the next process; nil keeps nothing.
    /// - Throws: `.unavailable` when the system gives no descriptors or no thread, or the file for
    ///   persistence cannot be used; `.invalid` for keys that are none.
    public convenience init(
        nodes: [String], keyFile: String? = nil,
        callbackQueue: DispatchQueue = DispatchQueue(label: "hearth"),
        persistence: Persistence? = nil
    ) throws(HearthError) {
        try self.init(
            nodes: nodes, keyFile: keyFile, Callbacks(on: callbackQueue), persistence, tap: nil)
    }

    /// As above, with somebody who hears what is sent.
    package convenience init(
        nodes: [String], keyFile: String? = nil,
        callbackQueue: DispatchQueue = DispatchQueue(label: "hearth"),
        persistence: Persistence? = nil, tap: ConnectionTap?
    ) throws(HearthError) {
        try self.init(
            nodes: nodes, keyFile: keyFile, Callbacks(on: callbackQueue), persistence, tap: tap)
    }

    init(
        nodes: [String], keyFile: String?, _ callbacks: Callbacks, _ persistence: Persistence?,
        tap: ConnectionTap?
    ) throws(HearthError) {
        let keys = try Connection.keys(in: keyFile, for: nodes)
        let store = try persistence.map(Connection.store)
        var configuration = Configuration(
            nodes: nodes, writer: WriterID(bits: .random(in: 1 ... .max)))
        configuration.isPersistent = store != nil
        let loop: Loop
        do throws(EventLoopError) {
            loop = try Loop()
            let driver = try Driver(configuration, as: keys, on: loop, callbacks, clock, store, tap)
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

    /// Where everything is called back from the next turn on; a serial queue, or the order is lost.
    public var callbackQueue: DispatchQueue {
        get { callbacks.queue }
        set { callbacks.queue = newValue }
    }

    /// What the node's wall clock shows, as far as it is known, in milliseconds since 1970: by it the
    /// keys that several programs make stand in the order in which they were made.
    public var nodeMilliseconds: UInt64 { clock.milliseconds }

    /// Why nothing is kept for the next process any more, as when the disk is full; nil while all is
    /// well.
    public var persistenceFailure: HearthError? { callbacks.persistenceFailure }

    /// Closes the connection and waits until its thread has ended; what is unanswered fails.
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

    /// Leaves the node for the next one; what is unanswered is asked for again there.
    public func leaveNode() { post(.step(.leftNode)) }

    /// Takes back all writes that no node has answered, transactions and on-disconnect writes among them:
    /// they fail with the code `cancelled`, and are no longer seen here.
    public func purgeWrites() { post(.step(.purged)) }

    /// Asks the connection's thread for something; false once the connection is closed.
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

    /// Tells the application of what was asked after `close()`.
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

    /// Has something done that is no transaction; writes show here at once.
    ///
    /// What is not answered is asked for again, at the next node: writes carry stamps, and are done once.
    public func send(
        _ work: Request.Work, patience: Request.Patience = .endless,
        concern: WriteConcern? = nil, completion: @escaping Completion
    ) {
        let id = RequestID(number: nextNumber())
        let request = Request(id, work, patience: patience, concern: concern)
        if !post(.ask(request, completion)) { refuse { completion(.failure($0)) } }
    }

    /// Puts in place of what is at a path what a function makes of it.
    ///
    /// - Parameters:
    ///   - path: Where.
    ///   - visibility: Whether listeners here see the outcome before the node has taken it.
    ///   - scope: Whether the cluster's coordinator decides, or the node that is connected.
    ///   - patience: How long an answer is waited for.
    ///   - update: Called with what is there as far as it is known here, null at first if nothing
    ///     is; again whenever something came in between, 25 times at most. It must have no effect
    ///     but its result.
    ///   - completion: Takes `.committed` or `.aborted` with the value that is there now.
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
    /// Without a kind of event, nobody is called, but what the query shows is known here.
    ///
    /// - Parameters:
    ///   - path: Where.
    ///   - query: Which children of it, in which order.
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

    /// Ends a listen; what is on its way already may still be called back.
    public func unlisten(_ id: ListenID) { post(.unlisten(id)) }
}
