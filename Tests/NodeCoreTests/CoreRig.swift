import DataTree
import GatewayCore
import NodeCore
import ReplicaCore
import SyncProtocol

/// A core of the only node of a cluster, in the mode `memory`: a turn is stored as soon as it ends.
struct CoreRig {
    var core: NodeCore
    private(set) var elapsedMilliseconds: UInt64 = 0
    private var lastSession: UInt64 = 0

    init(
        _ configuration: GatewayConfiguration = GatewayConfiguration(),
        durability: Durability = .memory
    ) {
        let replica = ReplicaConfiguration(
            cluster: "test", member: "n1", peers: ["n1"], durability: durability, seed: 1)
        core = NodeCore(Replica(replica, properties: []), configuration)
        core.observeSteps()
    }

    var now: Moment {
        Moment(
            wallMilliseconds: 1_700_000_000_000 + elapsedMilliseconds,
            elapsedMilliseconds: elapsedMilliseconds)
    }

    /// Runs a turn with these inputs, and returns the outputs.
    @discardableResult
    mutating func turn(
        _ inputs: [NodeInput] = [], after milliseconds: UInt64 = 1,
        end: NodeInput = .turnEnded
    ) -> [NodeOutput] {
        elapsedMilliseconds += milliseconds
        return ([.turnBegan(now)] + inputs + [end]).flatMap { core.step($0) }
    }

    /// The inputs of a new connection from this machine that sends a text.
    mutating func connection(sending text: String) -> (session: SessionID, inputs: [NodeInput]) {
        lastSession += 1
        let session = SessionID(number: lastSession)
        let address = RemoteAddress(host: "127.0.0.1", isLoopback: true)
        return (
            session,
            [
                .gateway(.opened(session, from: address)),
                .gateway(.received(session, Array(text.utf8))),
            ]
        )
    }

    /// A turn with a new connection that sends a text.
    @discardableResult
    mutating func connect(
        sending text: String, after milliseconds: UInt64 = 1
    ) -> (session: SessionID, outputs: [NodeOutput]) {
        let (session, inputs) = connection(sending: text)
        return (session, turn(inputs, after: milliseconds))
    }

    /// The request of a native client for a WebSocket.
    static let upgrade =
        "GET /.hearth HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        + "Sec-WebSocket-Protocol: hearth.1\r\n\r\n"

    static func stream(_ path: String) -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
    }

    static func get(_ path: String = "/a.json") -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }

    /// A write, which depends on a value if that has this tag.
    static func put(_ json: String, to path: String = "/a.json", ifMatch tag: String? = nil)
        -> String
    {
        let condition = tag.map { "If-Match: \($0)\r\n" } ?? ""
        return "PUT \(path) HTTP/1.1\r\nHost: localhost\r\n\(condition)"
            + "Content-Length: \(json.utf8.count)\r\n\r\n\(json)"
    }

    /// The session of each request of values that the replica has got since the last call, in order.
    mutating func removeAsking() -> [UInt64] {
        core.removeSteps().compactMap { step in
            if case .requestedMessages(_, let session) = step.input { session.number } else { nil }
        }
    }
}

extension [NodeOutput] {
    /// The text that is sent to a connection.
    func text(to session: SessionID) -> String {
        String(decoding: bytes(to: session), as: UTF8.self)
    }

    func bytes(to session: SessionID) -> [UInt8] {
        reduce(into: []) { bytes, output in
            if case .gateway(.send(session, let sent)) = output { bytes += sent }
        }
    }
}
