import EventLoop
import GatewayCore
import NodeCore
import ReplicaCore
import Rules
import SyncProtocol

@testable import ClusterNode

/// A node's HTTP port in front of a core without peers and disk. Native clients get only the replies of the test.
final class PortNode {
    let port: HTTPPort
    private let loop: Loop
    private var core: NodeCore
    private var isInTurn = false
    /// The inputs of the replica, without those about identities.
    var inputs: [Input] = []
    private(set) var principals: [Principal] = []

    init(
        on loop: Loop, _ configuration: GatewayConfiguration = GatewayConfiguration(),
        certificate: ServerCertificate? = nil
    ) {
        self.loop = loop
        let replica = ReplicaConfiguration(
            cluster: "test", member: "n1", peers: ["n1"], durability: .memory, seed: 1)
        core = NodeCore(Replica(replica, properties: []), configuration)
        core.observeSteps()
        port = HTTPPort(on: loop, configuration, certificate: certificate)
    }

    /// Begins to serve at an endpoint, unless another process has it.
    func open(at endpoint: String) -> Bool {
        let isOpen: Void? = try? port.open(at: endpoint) { [unowned self] in step($0) }
        guard isOpen != nil else { return false }
        loop.atEndOfTurn = { [unowned self] in endTurn() }
        beginTurn()
        endTurn()
        return true
    }

    func step(_ input: NodeInput) {
        if input.needsTurn { beginTurn() }
        perform(core.step(input))
    }

    private func beginTurn() {
        guard !isInTurn else { return }
        isInTurn = true
        let now = Moment(
            wallMilliseconds: Loop.wallClockMilliseconds,
            elapsedMilliseconds: Loop.monotonicNanoseconds / 1_000_000)
        perform(core.step(.turnBegan(now)))
    }

    private func endTurn() {
        // Each turn of the loop is one of the core, for which a node has timers.
        beginTurn()
        port.read()
        isInTurn = false
        perform(core.step(.turnEnded))
        port.endTurn()
    }

    private func perform(_ outputs: [NodeOutput]) {
        for step in core.removeSteps() {
            switch step.input {
            case .identified(_, let principal): principals.append(principal)
            case .turnEnded: break
            default: inputs.append(step.input)
            }
        }
        for output in outputs {
            switch output {
            case .replica, .openDatabase, .closeDatabase, .removeDatabase, .discardDatabase,
                .keepDatabase, .recordPlacement, .distrustDatabases, .backUp, .gateway(.log),
                .gateway(.refused):
                break
            case .gateway(let output): port.execute(output)
            case .cut(let session): port.cut(session)
            }
        }
    }
}
