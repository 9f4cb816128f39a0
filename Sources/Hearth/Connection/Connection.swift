public import ClientCore
public import DataTree
internal import EventLoop
public import QueryEngine
internal import Synchronization
internal import Threads
internal import ZeroMQ

/// A connection to a cluster, on a thread of its own; for any thread.
///
/// This is what `Database` and its references stand on. Use it directly where many writes are to be
/// in flight at once: each call returns at once, and its completion is called on the connection's
/// thread, which it must not block.
public final class Connection: Sendable {
    private let commands: Mailbox<Driver.Command>
    private let thread: SystemThread
    private let lastNumber = Atomic<UInt64>(0)

    /// Starts a connection that turns to the nodes in the order given, until one answers.
    ///
    /// - Parameters:
    ///   - nodes: Addresses such as `tcp://127.0.0.1:7001`, or `tcp://10.0.0.1:7001?key=…` with the
    ///     node's public key; at least one.
    ///   - keyFile: Who this program is to nodes with keys: a file that `hearth keys new` made.
    /// - Throws: `.unavailable` when the system gives no descriptors or no thread, `.invalid` for keys
    ///   that are none.
    public init(nodes: [String], keyFile: String? = nil) throws(HearthError) {
        let keys = try Connection.keys(in: keyFile, for: nodes)
        let loop: Loop
        do throws(EventLoopError) {
            loop = try Loop()
            let driver = try Driver(Configuration(nodes: nodes), as: keys, on: loop)
            commands = loop.mailbox { driver.handle($0) }
        } catch {
            throw HearthError(.unavailable, error.problem, fix: error.fix)
        }
        guard let thread = SystemThread(running: { loop.run() }) else {
            throw HearthError(
                .unavailable, "the system has no room for another thread",
                fix: "raise the limit with `ulimit -u`, or close connections")
        }
        self.thread = thread
    }

    deinit {
        // Not joined: the last reference may go in a completion, on the very thread.
        commands.post(.stop)
    }

    /// Closes the connection and waits until its thread has ended; what is unanswered fails.
    public func close() {
        commands.post(.stop)
        thread.join()
    }

    /// Sends a request; a write that is never answered is repeated at the next node, unless it
    /// increments.
    public func send(
        _ work: Request.Work, patience: Request.Patience = .endless,
        completion: @escaping @Sendable (Result<Answer, HearthError>) -> Void
    ) {
        let id = RequestID(number: nextNumber())
        commands.post(.ask(Request(id, work, patience: patience), completion))
    }

    /// Listens at a path until `unlisten(_:)`, through any number of reconnections.
    ///
    /// - Parameters:
    ///   - observed: Takes the events of one change.
    ///   - ended: Takes the reason when the node ends the listen.
    public func listen(
        at path: Path, for kinds: ViewEvent.Kinds,
        observed: @escaping @Sendable ([ViewEvent]) -> Void,
        ended: @escaping @Sendable (HearthError) -> Void
    ) -> ListenID {
        let id = ListenID(number: nextNumber())
        commands.post(.listen(id, path, kinds, Driver.Listener(observed: observed, ended: ended)))
        return id
    }

    public func unlisten(_ id: ListenID) {
        commands.post(.unlisten(id))
    }

    private static func keys(
        in keyFile: String?, for nodes: [String]
    ) throws(HearthError) -> KeyPair? {
        if let bad = nodes.first(where: { ServerAddress($0) == nil }) {
            throw HearthError(
                .invalid, "the key in \(bad) is none",
                fix: "write the node's 40 characters behind ?key=")
        }
        guard let keyFile else { return nil }
        do throws(KeyFileError) {
            return try KeyFile(keyFile).read()
        } catch {
            throw HearthError(.invalid, error.problem, fix: error.fix)
        }
    }

    private func nextNumber() -> UInt64 {
        lastNumber.add(1, ordering: .relaxed).newValue
    }
}
