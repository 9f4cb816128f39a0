internal import ClientCore
internal import DataTree
internal import EventLoop
internal import QueryEngine
internal import Sockets
internal import Storage
internal import TLS

/// Connects a client core with a node and the application's callbacks.
///
/// Confined to the thread of its loop.
final class Driver {
    typealias Completion = @Sendable (Result<Answer, HearthError>) -> Void
    typealias Update = @Sendable (Value) -> ClientCore.TransactionResult

    enum Command: Sendable {
        case ask(Request, Completion)
        case transact(Request, Update, Completion)
        case listen(ListenID, Path, Query, ViewEvent.Kinds, Listener)
        case unlisten(ListenID)
        case step(Input)
        /// Show this from now on.
        case show(Secret?)
        case stop
    }

    /// The callbacks of a listen.
    struct Listener: Sendable {
        var observed: @Sendable ([ViewEvent]) -> Void
        var ended: @Sendable (HearthError) -> Void
    }

    /// The way from the application's queue back to here.
    var commands: Mailbox<Command>?
    private unowned let loop: Loop
    private let callbacks: Callbacks
    private let clock: NodeClock
    /// The addresses of all nodes, without those that cannot be read.
    private let addresses: [HTTPAddress]
    private var secret: Secret?
    private let tap: ConnectionTap?
    /// Whether no node is to create the database.
    private let isOnlyExisting: Bool
    /// Nil also when it has failed, as when the disk is full.
    private var store: LocalStore?
    /// Keys of values to look up.
    private var recalls: [String] = []
    private var client: Client
    private var connection: WebSocketConnection?
    private var timer: Watcher?
    private var isInTurn = false
    private let beginningNanoseconds = Loop.monotonicNanoseconds
    private var completions: [RequestID: Completion] = [:]
    private var updates: [RequestID: Update] = [:]
    private var listeners: [ListenID: Listener] = [:]
    /// The application's callbacks at the end of the turn.
    private var calls: [@Sendable () -> Void] = []

    init(
        _ configuration: Configuration, showing secret: Secret?, on loop: Loop,
        _ callbacks: Callbacks, _ clock: NodeClock, _ store: LocalStore?, _ tap: ConnectionTap?,
        onlyExisting isOnlyExisting: Bool
    ) throws(EventLoopError) {
        self.clock = clock
        self.tap = tap
        self.isOnlyExisting = isOnlyExisting
        self.loop = loop
        self.store = store
        self.secret = secret
        self.callbacks = callbacks
        addresses = configuration.nodes.compactMap { try? NodeAddress($0).address }
        client = Client(configuration)
        timer = try loop.timer(every: .milliseconds(50)) { [unowned self] in tick() }
        loop.atEndOfTurn = { [unowned self] in endTurn() }
        let writes = kept { store throws(StorageError) in try store.writes() } ?? []
        if !writes.isEmpty { step(.restored(writes)) }
    }

    func handle(_ command: Command) {
        beginTurn()
        switch command {
        case .ask(let request, let completion):
            completions[request.id] = completion
            step(.asked(request))
        case .transact(let request, let update, let completion):
            completions[request.id] = completion
            updates[request.id] = update
            step(.asked(request))
        case .listen(let id, let path, let query, let kinds, let listener):
            listeners[id] = listener
            step(.listened(id, path, query, kinds))
        case .unlisten(let id):
            listeners[id] = nil
            step(.unlistened(id))
        case .step(let input): step(input)
        case .show(let secret):
            self.secret = secret
            connection?.show(secret)
        case .stop: stop()
        }
    }

    private func stop() {
        step(.ending)
        endTurn()
        store = nil
        // Watchers belong to this thread; the driver itself may be released on another.
        loop.atEndOfTurn = {}
        timer?.cancel()
        disconnect()
        for id in completions.keys.sorted() { complete(id, .failure(.closed(effect: .unknown))) }
        callbacks.run(calls)
        commands = nil
        loop.stop()
    }
}

// MARK: - Turns

extension Driver {
    private func beginTurn() {
        guard !isInTurn else { return }
        isInTurn = true
        let elapsed = Loop.monotonicNanoseconds - beginningNanoseconds
        step(
            .turnBegan(
                elapsedMilliseconds: elapsed / 1_000_000,
                wallMilliseconds: Loop.wallClockMilliseconds, isReading: !callbacks.isFull))
    }

    private func endTurn() {
        guard isInTurn else { return }
        step(.turnEnded)
        isInTurn = false
        connection?.endTurn()
        // The clock is known before the application learns that there is a connection.
        clock.set(aheadMilliseconds: client.nodeAheadMilliseconds)
        callbacks.run(calls)
        // They are the callbacks' now, on another thread.
        calls = []
    }

    private func tick() {
        beginTurn()
        connection?.isPaused = callbacks.isFull
    }

    private func disconnect() {
        connection?.close()
        connection = nil
    }

    private func handle(_ event: WebSocketConnection.Event) {
        beginTurn()
        switch event {
        case .received(let frame):
            step(.received(frame))
            // Frames for which the application has no time wait; the timer looks again.
            if callbacks.isFull { connection?.isPaused = true }
        case .tokenExpired:
            // The next connection would be refused with it.
            secret = nil
            if let handler = callbacks.tokenExpired { calls.append(handler) }
        case .lost:
            disconnect()
            step(.connectionLost)
        case .misled(let error):
            disconnect()
            step(.connectionMisled(error))
        case .refused(let error):
            disconnect()
            step(.connectionRefused(error))
        }
    }
}

// MARK: - Outputs

extension Driver {
    private func step(_ input: Input) {
        for output in client.step(input) { execute(output) }
        // Not in between: recalled values come after what happened before.
        while let key = recalls.popLast() {
            step(
                .recalled(
                    key: key,
                    frame: kept { store throws(StorageError) in
                        try store.value(at: key)
                    } ?? nil))
        }
    }

    /// Uses the store; a store that fails is given up, and its content stays.
    @discardableResult
    private func kept<Result>(
        _ body: (LocalStore) throws(StorageError) -> Result
    ) -> Result? {
        guard let store else { return nil }
        do throws(StorageError) {
            return try body(store)
        } catch {
            self.store = nil
            callbacks.persistenceFailure = HearthError(
                .unavailable, error.problem, fix: error.fix)
            return nil
        }
    }

    private func execute(_ output: Output) {
        switch output {
        case .connect(let address): connect(to: address)
        case .disconnect: disconnect()
        case .persist(let records):
            kept { store throws(StorageError) in try store.keep(records) }
        case .recall(let key): recalls.append(key)
        case .send(let frame): send(frame)
        case .succeeded(let id, let answer): complete(id, .success(answer))
        case .failed(let id, let error): complete(id, .failure(error))
        case .transact(let id, let value): transact(id, value)
        case .observed(let id, let events):
            if let listener = listeners[id] { calls.append { listener.observed(events) } }
        case .unindexed(let path, let query):
            Log.warn(
                "no index is named for this order of \(path): add \".indexOn\": \"\(query.order.name)\" there to the rules"
            )
        case .ended(let id, let error):
            guard let listener = listeners.removeValue(forKey: id) else { return }
            calls.append { listener.ended(error) }
        case .connected(let node):
            Log.info("connected to \(node)")
            tap?.contact(.served(by: node))
        case .disconnected:
            Log.info("lost contact with the node")
            tap?.contact(.searching(refusal: client.refusal))
        }
    }

    private func complete(_ id: RequestID, _ result: Result<Answer, HearthError>) {
        updates[id] = nil
        guard let completion = completions.removeValue(forKey: id) else { return }
        calls.append { completion(result) }
    }

    private func transact(_ id: RequestID, _ value: Value) {
        guard let update = updates[id], let commands else { return }
        calls.append { commands.post(.step(.ran(id, update(value)))) }
    }

    private func connect(to address: String) {
        disconnect()
        tap?.connects()
        tap?.contact(.searching(refusal: client.refusal))
        do {
            connection = try WebSocketConnection(
                to: try NodeAddress(address), onlyExisting: isOnlyExisting, of: addresses,
                showing: secret, on: loop
            ) { [unowned self] in handle($0) }
        } catch {
            // At an address that cannot be used no node answers.
            step(.connectionLost)
        }
    }

    private func send(_ frame: [UInt8]) {
        guard let connection else { return }
        tap?.sends(frame)
        connection.send(frame)
    }
}
