internal import ClientCore
internal import DataTree
internal import EventLoop
internal import QueryEngine
internal import Storage
internal import ZeroMQ

/// Connects a client core with a ZeroMQ socket and the application's callbacks.
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
    private let context: Context
    private let keys: KeyPair?
    private let tap: ConnectionTap?
    /// Nil also when it has failed, as when the disk is full.
    private var store: LocalStore?
    /// Keys of values to look up.
    private var recalls: [String] = []
    private var client: Client
    private var socket: Socket?
    private var watcher: Watcher?
    private var timer: Watcher?
    private var isInTurn = false
    private let beginningNanoseconds = Loop.monotonicNanoseconds
    private var completions: [RequestID: Completion] = [:]
    private var updates: [RequestID: Update] = [:]
    private var listeners: [ListenID: Listener] = [:]
    /// The application's callbacks at the end of the turn.
    private var calls: [@Sendable () -> Void] = []

    init(
        _ configuration: Configuration, as keys: KeyPair?, on loop: Loop, _ callbacks: Callbacks,
        _ clock: NodeClock, _ store: LocalStore?, _ tap: ConnectionTap?
    ) throws(EventLoopError) {
        self.clock = clock
        self.tap = tap
        self.loop = loop
        self.store = store
        self.keys = keys
        self.callbacks = callbacks
        context = Context()
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
        dropSocket()
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
        // The clock is known before the application learns that there is a connection.
        clock.set(aheadMilliseconds: client.nodeAheadMilliseconds)
        callbacks.run(calls)
        // They are the callbacks' now, on another thread.
        calls = []
    }

    private func tick() {
        beginTurn()
        // A socket that does not reconnect is not writable once its connection is gone.
        if let socket, !socket.events.contains(.writable) { loseConnection() }
        watcher?.activate()
    }

    private func loseConnection() {
        dropSocket()
        step(.connectionLost)
    }

    private func dropSocket() {
        // Cancelled, not just released: the loop may be about to run it.
        watcher?.cancel()
        watcher = nil
        socket = nil
    }

    private func drain() {
        // Frames for which the application has no time wait in the socket; the timer looks again.
        guard let socket, !callbacks.isFull else { return }
        beginTurn()
        let outcome = socket.drain(limit: 64) { message in
            step(.received(Array(message[message.count - 1])))
        }
        if outcome == .limitReached { watcher?.activate() }
    }
}

// MARK: - Outputs

extension Driver {
    private func step(_ input: Input) {
        for output in client.step(input) { perform(output) }
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

    private func perform(_ output: Output) {
        switch output {
        case .connect(let address): connect(to: address)
        case .disconnect: dropSocket()
        case .persist(let records):
            kept { store throws(StorageError) in try store.keep(records) }
        case .recall(let key): recalls.append(key)
        case .send(let frame): send(frame)
        case .succeeded(let id, let answer): complete(id, .success(answer))
        case .failed(let id, let error): complete(id, .failure(error))
        case .transact(let id, let value): transact(id, value)
        case .observed(let id, let events):
            if let listener = listeners[id] { calls.append { listener.observed(events) } }
        case .ended(let id, let error):
            guard let listener = listeners.removeValue(forKey: id) else { return }
            calls.append { listener.ended(error) }
        case .connected(let node):
            Log.note("connected to \(node)")
            tap?.contact(.served(by: node))
        case .disconnected:
            Log.note("lost contact with the node")
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
        dropSocket()
        tap?.connects()
        tap?.contact(.searching(refusal: client.refusal))
        do {
            let socket = try Socket(.dealer, in: context)
            // A connection that came back by itself would have lost its listens at the node.
            socket.reconnectInterval = nil
            socket.sendHighWaterMark = 0
            socket.receiveHighWaterMark = 0
            try socket.connect(ServerAddress(address) ?? ServerAddress(address, key: nil), as: keys)
            watcher = try loop.watchEdges(of: socket.fileDescriptor) { [unowned self] in drain() }
            self.socket = socket
        } catch {
            // At an address that cannot be used no node answers.
            step(.connectionLost)
        }
    }

    private func send(_ frame: [UInt8]) {
        guard let socket else { return }
        tap?.sends(frame)
        if socket.send(frame) != .sent { return loseConnection() }
        watcher?.activate()
    }
}
