internal import EventLoop
internal import GatewayCore
internal import ReplicaCore
internal import SyncProtocol

/// Gives a gateway its turns, and a replica what the gateway asks of it.
///
/// What follows from the replica's own answers waits for the next turn of the loop: the replica is in the middle of ending one.
final class GatewayDriver {
    private let loop: Loop
    private var gateway: Gateway
    private var isInTurn = false
    private var isAnswering = false
    private var backlog = GatewayBacklog()
    private var next: Watcher?
    private var alarm: Watcher?
    /// Takes an input for the replica.
    var receive: (Input) -> Void = { _ in }
    /// Performs what concerns a connection.
    var perform: (GatewayOutput) -> Void = { _ in }

    /// - Parameter configuration: Without a seed for names, which is drawn here.
    init(_ configuration: GatewayConfiguration, on loop: Loop) {
        self.loop = loop
        var configuration = configuration
        var random = SystemRandomNumberGenerator()
        configuration.nameSeed = (0..<4).map { _ in String(random.next(), radix: 36) }.joined()
        gateway = Gateway(configuration)
    }

    /// Steps the gateway, in a turn that begins with the first input.
    func step(_ input: GatewayInput) {
        beginTurn()
        perform(gateway.step(input))
    }

    private func beginTurn() {
        guard !isInTurn else { return }
        isInTurn = true
        stepTime()
    }

    private func stepTime() {
        let now = Moment(
            wallMilliseconds: Loop.wallClockMilliseconds,
            elapsedMilliseconds: Loop.monotonicNanoseconds / 1_000_000)
        perform(gateway.step(.turnBegan(now)))
    }

    /// Has a turn begin later, unless one does earlier than that.
    private func wake(afterMilliseconds milliseconds: UInt64) {
        guard alarm == nil else { return }
        alarm = try? loop.timer(after: .milliseconds(milliseconds)) { [unowned self] in
            alarm = nil
            isInTurn = true
            stepTime()
        }
    }

    /// Gives the gateway what the replica answered.
    func answer(_ answers: [SessionAnswer], to session: SessionID) {
        isAnswering = true
        step(.answered(session, answers))
        isAnswering = false
    }

    /// Tells the gateway in one of the next turns that all is sent to a connection.
    func reportWritable(_ session: SessionID) {
        backlog.append(writable: session)
        schedule()
    }

    /// Ends the gateway's turn.
    func endTurn() {
        guard isInTurn else { return }
        perform(gateway.step(.turnEnded))
        isInTurn = false
    }

    /// Counts how long a turn of the node took.
    func countTurn(nanoseconds: UInt64) {
        // It concerns no connection, so it needs no turn.
        perform(gateway.step(.turnTook(nanoseconds: nanoseconds)))
    }

    /// Looks at deadlines.
    func tick() { beginTurn() }

    /// Asks the replica nothing more.
    func stop() {
        receive = { _ in }
        next?.cancel()
        alarm?.cancel()
        (next, alarm) = (nil, nil)
    }

    private func perform(_ outputs: [GatewayOutput]) {
        for output in outputs {
            switch output {
            case .open, .identify, .ask, .backpressured, .writable, .end: ask(output)
            case .wake(let milliseconds): wake(afterMilliseconds: milliseconds)
            case .native:
                receiveBacklog()
                perform(output)
            case .send, .reportWritable, .close, .log: perform(output)
            }
        }
    }

    private func ask(_ request: GatewayOutput) {
        if backlog.keep(request, whileAnswering: isAnswering) { return schedule() }
        if let input = Input(request) { receive(input) }
    }

    /// Hands the replica what waits for it, unless it is in the middle of a turn: frames of native clients go past the backlog.
    private func receiveBacklog() {
        guard !isAnswering else { return }
        for input in backlog.removeRequests().compactMap(Input.init) { receive(input) }
    }

    private func schedule() {
        guard next == nil else { return }
        next = try? loop.timer(after: .zero) { [unowned self] in runNext() }
    }

    private func runNext() {
        next = nil
        receiveBacklog()
        for session in backlog.removeWritable() { step(.writable(session)) }
        if !backlog.isEmpty { schedule() }
    }
}

extension Input {
    /// What a gateway wants of the replica; nil for what concerns a connection or time.
    fileprivate init?(_ output: GatewayOutput) {
        switch output {
        case .open(let session): self = .opened(session)
        case .ask(let session, let messages): self = .requestedMessages(messages, by: session)
        case .backpressured(let session): self = .backpressured(session)
        case .writable(let session): self = .writable(session)
        case .end(let session): self = .closed(session)
        case .identify(let session, let principal): self = .identified(session, principal)
        case .send, .reportWritable, .close, .native, .wake, .log: return nil
        }
    }
}
