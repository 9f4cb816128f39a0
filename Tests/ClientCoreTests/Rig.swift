import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import ClientCore

/// A client with a clock in hand, and what it sends, decoded.
struct Rig {
    var client: Client
    var now: UInt64 = 0
    static let writer = WriterID(bits: 77)

    init(nodes: [String] = ["tcp://a:1"], _ change: (inout Configuration) -> Void = { _ in }) {
        var configuration = Configuration(nodes: nodes, writer: Rig.writer)
        change(&configuration)
        client = Client(configuration)
    }

    /// One turn with these inputs, some time after the last one.
    mutating func turn(after milliseconds: UInt64 = 0, _ inputs: Input...) -> [Output] {
        now += milliseconds
        var outputs = client.step(
            .turnBegan(elapsedMilliseconds: now, wallMilliseconds: 1_000_000 + now))
        for input in inputs { outputs += client.step(input) }
        return outputs + client.step(.turnEnded)
    }

    /// Connects to the first node, which answers at once.
    mutating func open() {
        let outputs = turn()
        #expect(outputs.first == .connect("tcp://a:1"))
        let answer = turn(Rig.ready(1))
        #expect(answer == [.connected("tcp://a:1")])
    }

    /// A node serves the client that said hello with this id; its clock shows a second more than 1,000,000, unless
    /// another time is given.
    static func ready(
        _ id: UInt64, at milliseconds: UInt64 = 1_001_000,
        holding: VersionVector = VersionVector()
    ) -> Input {
        .received(
            NodeMessage.ready(
                id: id, member: "n1", wallMilliseconds: milliseconds,
                time: HybridTime(milliseconds: milliseconds), holds: holding
            ).frame)
    }

    static func refusal(_ id: UInt64, _ code: ErrorCode) -> Input {
        .received(NodeMessage.error(id: id, code: code, problem: "p", fix: "f").frame)
    }

    /// The messages that were sent, without stamps.
    static func messages(_ outputs: [Output]) -> [ClientMessage] {
        stamped(outputs).map { message in
            var message = message
            switch message.request {
            case .put(var put):
                put.stamp = nil
                message.request = .put(put)
            case .merge(var merge):
                merge.stamp = nil
                message.request = .merge(merge)
            default: break
            }
            return message
        }
    }

    static func stamps(_ outputs: [Output]) -> [Stamp?] {
        stamped(outputs).compactMap { message -> Stamp?? in
            switch message.request {
            case .put, .merge: message.stamp
            default: nil
            }
        }
    }

    /// The messages as they are sent, with their stamps.
    static func stamped(_ outputs: [Output]) -> [ClientMessage] {
        outputs.flatMap { output -> [ClientMessage] in
            guard case .send(let frame) = output else { return [] }
            let received: [Received<ClientMessage>] =
                (try? FrameReader.messages(in: frame)) ?? []
            return received.compactMap {
                if case .message(let message) = $0 { message } else { nil }
            }
        }
    }

    static func failures(_ outputs: [Output]) -> [HearthError] {
        outputs.compactMap { if case .failed(_, let error) = $0 { error } else { nil } }
    }
}

func path(_ text: String) -> Path {
    Path(text.split(separator: "/").map { Key(unchecked: String($0)) })
}

func put(
    _ id: UInt64, _ value: Value = .integer(1), patience: Request.Patience = .endless
) -> Input {
    .asked(Request(RequestID(number: id), .put(path("k\(id)"), value), patience: patience))
}

func listened(_ id: UInt64, _ text: String, _ kinds: ViewEvent.Kinds = .all) -> Input {
    .listened(ListenID(number: id), path(text), Query(), kinds)
}

extension Value {
    static func object(_ members: [String: Value]) -> Value {
        var children = Children()
        for (name, value) in members { children[Key(unchecked: name)] = value }
        return Value(children)
    }
}
