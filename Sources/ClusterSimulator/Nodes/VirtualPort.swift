import GatewayCore
import ReplicaCore
import SyncProtocol
import Tokens

/// The HTTP port of a virtual node: the gateway that ships, in turns, as `HTTPPort` and `GatewayDriver` of a node drive it.
struct VirtualPort {
    /// How often a gateway with clients gets a turn, whatever happens.
    private static let tickMilliseconds: UInt64 = 500

    private var gateway: Gateway
    private var backlog = GatewayBacklog()
    private var availability = Availability.unavailable(reason: "starting")
    /// Whether a client has ever connected; without one, the port costs nothing.
    private(set) var isUsed = false
    private var isInTurn = false
    private var isAnswering = false
    private var elapsedMilliseconds: UInt64 = 0
    /// When the next turn is due, whatever happens.
    private var dueMilliseconds: UInt64 = 0
    /// What is to be done with connections, in order.
    private var outputs: [GatewayOutput] = []

    init(_ configuration: GatewayConfiguration) { gateway = Gateway(configuration) }

    /// What the gateway keeps for its clients.
    var usage: GatewayUsage { gateway.usage }

    /// Whether something waits for the node's next turn.
    var hasBacklog: Bool { !backlog.isEmpty }

    // MARK: Inputs; each returns what the replica is to be given now

    /// Begins what earlier turns have left, and a turn if one is due.
    mutating func resume(at moment: Moment) -> [Input] {
        guard isUsed else { return [] }
        var inputs = backlog.removeRequests().compactMap(Input.init)
        for session in backlog.removeWritable() { inputs += step(.writable(session), at: moment) }
        if moment.elapsedMilliseconds >= dueMilliseconds { inputs += beginTurn(at: moment) }
        return inputs
    }

    mutating func become(_ next: Availability, at moment: Moment) -> [Input] {
        guard next != availability else { return [] }
        availability = next
        return step(.became(next), at: moment)
    }

    mutating func step(_ input: GatewayInput, at moment: Moment) -> [Input] {
        if case .opened = input { isUsed = true }
        return beginTurn(at: moment) + perform(gateway.step(input))
    }

    /// Gives the gateway what the replica answered; what follows from that waits.
    mutating func answer(_ answers: [SessionAnswer], to session: SessionID, at moment: Moment) {
        isAnswering = true
        let inputs = step(.answered(session, answers), at: moment)
        precondition(inputs.isEmpty, "the replica is asked while it answers")
        isAnswering = false
    }

    /// All bytes sent to a connection have left.
    mutating func reportWritable(_ session: SessionID) { backlog.append(writable: session) }

    private mutating func beginTurn(at moment: Moment) -> [Input] {
        guard !isInTurn else { return [] }
        isInTurn = true
        elapsedMilliseconds = moment.elapsedMilliseconds
        dueMilliseconds = elapsedMilliseconds + VirtualPort.tickMilliseconds
        return perform(gateway.step(.turnBegan(moment)))
    }

    /// Ends the gateway's turn, if there is one; returns what is to be done with connections.
    mutating func endTurn() -> [GatewayOutput] {
        guard isInTurn else { return [] }
        isInTurn = false
        _ = gateway.step(.turnEnded)
        defer { outputs = [] }
        return outputs
    }

    // MARK: Outputs

    private mutating func perform(_ steps: [GatewayOutput]) -> [Input] {
        var inputs: [Input] = []
        for output in steps {
            switch output {
            case .send, .reportWritable, .close, .native: outputs.append(output)
            case .log: break
            case .wake(let milliseconds):
                dueMilliseconds = min(dueMilliseconds, elapsedMilliseconds + milliseconds)
            case .open, .identify, .ask, .backpressured, .writable, .end:
                if backlog.keep(output, whileAnswering: isAnswering) { continue }
                if let input = Input(output) { inputs.append(input) }
            }
        }
        return inputs
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

extension GatewayConfiguration {
    /// How many milliseconds nodes of runs let pass before they send a quiet stream a sign of life.
    static let virtualKeepAlive: UInt64 = 1_100

    /// That of a virtual node: short deadlines, and small parts, since runs are short and values small.
    ///
    /// - Parameters:
    ///   - next: The node to which clients go once this one stops.
    ///   - tokens: Whose tokens it trusts; nil where clients have no identities.
    static func virtual(
        hosts: [String], next: String?, nameSeed: String, tokens: TokenTrust?
    ) -> GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.hosts = hosts
        configuration.redirectHost = next
        configuration.nameSeed = nameSeed
        if let tokens {
            configuration.secrets = SecretHashes([Array(Credential.secret.utf8)]) { $0 }
            configuration.tokens = tokens
            configuration.rememberedTokens = 3
        }
        configuration.keepAliveMilliseconds = virtualKeepAlive
        configuration.partMilliseconds = 4_000
        configuration.deadlines.idleMilliseconds = 4_000
        // Longer than the rest of a request can be on its way.
        configuration.deadlines.headMilliseconds = 2_500
        configuration.deadlines.bodyMilliseconds = 2_500
        configuration.polls.holdMilliseconds = 800
        configuration.polls.switchMilliseconds = 2_500
        configuration.connectionLimitPerHost = 6
        configuration.parts = .virtual
        return configuration
    }
}

extension PartSizes {
    /// So small that what small trees show is large.
    fileprivate static var virtual: PartSizes {
        var sizes = PartSizes()
        (sizes.answerBytes, sizes.textBytes, sizes.chunkUnits) = (150, 300, 90)
        (sizes.sendBytes, sizes.pollBytes, sizes.valueBytesPerTurn) = (400, 150, 1_500)
        return sizes
    }
}
