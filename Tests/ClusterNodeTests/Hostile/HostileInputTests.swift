import DataTree
import Foundation
import Sockets
import SyncProtocol
import Testing
import ZeroMQ

@testable import ClusterAdministration

/// Real nodes in bad company: whatever arrives at any of their sockets, they stay up, serve the
/// others and lose nothing.
///
/// A longer run: `HEARTH_HOSTILE_FRAMES=1000000`.
@Suite(.serialized, .timeLimit(.minutes(30))) struct `A node in bad company` {
    private static let frameCount =
        ProcessInfo.processInfo.environment["HEARTH_HOSTILE_FRAMES"].flatMap { Int($0) } ?? 20_000

    @Test func `survives arbitrary input at any socket`() throws {
        let pair = try BadCompany()
        var honest = [try pair.honest(at: 1), try pair.honest(at: 2)]
        for _ in 0..<20 {
            for index in honest.indices { try honest[index].step() }
        }
        for index in honest.indices { try honest[index].finish() }
        try waitForAll(of: honest, at: pair)
        var attack = try Attack(on: pair, seed: 1)
        for round in 0..<Self.frameCount / 100 {
            for _ in 0..<100 { attack.sendOne() }
            for index in honest.indices { try honest[index].step() }
            if round.isMultiple(of: 10) { try attack.pause() }
        }
        for index in honest.indices { try honest[index].finish() }

        #expect(honest.reduce(0) { $0 + $1.acknowledged.count } >= Self.frameCount / 100)
        try waitForAll(of: honest, at: pair)
        for address in [pair.address(1), pair.address(2)] {
            let status = try pair.status(at: address)
            #expect(status.clients.refused > 0 || address == pair.address(2))
            #expect(status.exchange.malformedFrames > 0)
            #expect(status.exchange.connectedPeers.count >= 1)
            let residentBytes = try #require(status.process?.residentBytes)
            #expect(residentBytes < 600 << 20, "\(residentBytes >> 20) MB")
        }
        try pair.endCleanly()
    }

    private func waitForAll(of honest: [HonestClient], at pair: BadCompany) throws {
        let acknowledged = honest.flatMap(\.acknowledged)
        for address in [pair.address(1), pair.address(2)] {
            try eventually("\(address) has all that was acknowledged") {
                let list = try pair.value("list", at: address)
                return acknowledged.allSatisfy { list[$0.key] == $0.value }
            }
        }
    }
}

/// Two real nodes, whose third peer is the test: it is bound where they expect n3.
final class BadCompany {
    let file: ClusterFile
    let context = Context()
    private let folder: TemporaryFolder
    private let nodes: [Program]

    init() throws {
        file = ClusterFile(
            nodeCount: 3, basePort: try TestCluster.freePorts(), durability: "commit")
        folder = try TemporaryFolder()
        let configuration = try folder.write(
            String(decoding: file.json, as: UTF8.self), to: "cluster.json")
        nodes = try ["n1", "n2"].map { id in
            try Program.hearth("node", "--config", configuration, "--id", id)
        }
        for node in nodes {
            try eventually("the node serves") { node.errors.contains("serving clients") }
        }
    }

    func address(_ node: Int) -> String { file.nodes[node - 1].client }

    func connect(to address: String) throws -> NodeSocket {
        try NodeSocket(to: try #require(HTTPAddress(address)))
    }

    func honest(at node: Int) throws -> HonestClient {
        HonestClient(
            name: "h\(node)", socket: try connect(to: address(node)), errors: { self.errors })
    }

    func value(_ path: String, at address: String) throws -> Value {
        try ask(address) { .get(id: $0, path: try Path(path)) }
    }

    func status(at address: String) throws -> NodeStatus {
        try NodeStatus(ask(address) { .status(id: $0) })
    }

    private func ask(_ address: String, _ request: (UInt64) throws -> ClientMessage) throws -> Value
    {
        let socket = try connect(to: address)
        socket.send(try request(1).frame)
        while true {
            let frame = try #require(
                socket.frame(until: .now + .seconds(20)), "no answer from \(address): \(errors)")
            for message in try FrameReader<NodeMessage>.messages(in: frame) {
                switch message {
                case .message(.value(_, let value)): return value
                case .message(.ok(id: 0)): continue
                default: throw OddAnswer(message: "\(message)")
                }
            }
        }
    }

    private var errors: String {
        nodes.map { String($0.errors.suffix(8_000)) }.joined(separator: "\n")
    }

    func endCleanly() throws {
        for node in nodes {
            node.terminate()
            let outcome = try node.end()
            #expect(outcome.status == 0, "\(outcome.errors.suffix(2_000))")
        }
    }
}

struct OddAnswer: Error {
    let message: String
}

/// Pushes some values all the time, and remembers which were acknowledged.
struct HonestClient {
    private let name: String
    private let socket: NodeSocket
    /// The logs of the nodes.
    private let errors: () -> String
    private var sent: UInt64 = 0
    private(set) var acknowledged: [(key: Key, value: Value)] = []

    init(name: String, socket: NodeSocket, errors: @escaping () -> String) {
        self.name = name
        self.errors = errors
        self.socket = socket
    }

    private func value(_ id: UInt64) -> Value { .string("\(name)-\(id)") }

    /// Pushes once, if few pushes are under way.
    mutating func step() throws {
        if sent < UInt64(acknowledged.count) + 20 {
            sent += 1
            let list = Path([Key(unchecked: "list")])
            socket.send(ClientMessage.push(id: sent, path: list, value: value(sent)).frame)
        }
        var frames: [[UInt8]] = []
        try #require(socket.receive { frames.append($0) }, "\(name) lost its node: \(errors())")
        for frame in frames { try note(frame) }
    }

    mutating func finish() throws {
        while acknowledged.count < Int(sent) {
            try note(
                try #require(
                    socket.frame(until: .now + .seconds(20)), "\(name) has no answer"))
        }
    }

    private mutating func note(_ frame: [UInt8]) throws {
        for message in try FrameReader<NodeMessage>.messages(in: frame) {
            guard case .message(.pushed(let id, let key)) = message else {
                Issue.record("\(name) was told \(message)")
                continue
            }
            acknowledged.append((key, value(id)))
        }
    }
}
