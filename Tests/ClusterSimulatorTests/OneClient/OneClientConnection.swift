import DataTree
import GatewayCore
import JSONText
import QueryEngine
import ReplicaCore
import SyncProtocol

@testable import ClusterSimulator

/// The one client at a node, by one of the protocols; it sends its requests without waiting for answers.
struct OneClientConnection {
    enum Way: CaseIterable {
        case native, socket, polls, rest
    }

    /// The frames that arrive at the client.
    enum Told {
        case bytes([UInt8])
        case frame([UInt8])
    }

    let way: Way
    private let node: Int
    /// By lane; a native or REST client has one.
    private var connections: [FirebaseTransport.Lane: SessionID] = [:]
    private var transport = FirebaseTransport()
    private var answerReader = AnswerReader()
    private var random = SplitMix64(seed: 7)
    private let reader = JSONReader(maximumBytes: 1 << 20, maximumDepth: 64)
    private var outgoing: [[UInt8]] = []
    /// Requests that wait for the handshake.
    private var isReady = false
    /// The numbers of open listens by their locations.
    private var listens: [Path: UInt64] = [:]
    /// The messages to the client, by the number of the request.
    private(set) var answers: [UInt64: String] = [:]
    private var lastNumber: UInt64 = 0
    private var lastAnswer: UInt64 = 0
    private var body: [UInt8] = []
    private var status = 0

    init(by way: Way, to node: Int, of cluster: inout OneClientCluster) {
        (self.way, self.node) = (way, node)
        switch way {
        case .native:
            connections[.socket] = cluster.connect(to: node)
            isReady = true
        case .rest:
            connections[.socket] = cluster.connect(to: node)
            isReady = true
        case .socket: transport.beginSocket(at: "n\(node + 1)", "")
        case .polls: transport.beginPolls(at: "n\(node + 1)", "")
        }
        flush(&cluster)
    }

    var answeredCount: Int { answers.count }

    mutating func close(_ cluster: inout OneClientCluster) {
        for id in connections.values.sorted() {
            cluster.close(id, at: node, isNative: way == .native)
        }
    }

    // MARK: Sending

    mutating func send(_ request: OneClientProgram.Request, _ cluster: inout OneClientCluster) {
        lastNumber += 1
        switch way {
        case .native:
            cluster.send(
                frame: message(of: request).frame, to: node, on: connections[.socket]!)
        case .rest:
            answerReader.expect()
            cluster.send(restText(of: request), to: node, on: connections[.socket]!)
        case .socket, .polls:
            outgoing.append(realtimeText(of: request))
            flush(&cluster)
        }
    }

    private mutating func flush(_ cluster: inout OneClientCluster) {
        let texts = isReady ? outgoing : []
        if isReady { outgoing = [] }
        for (lane, bytes) in transport.removeBytes(of: texts, &random) {
            let id = connections[lane] ?? cluster.connect(to: node)
            connections[lane] = id
            cluster.send(bytes, to: node, on: id)
        }
    }

    private mutating func message(of request: OneClientProgram.Request) -> ClientMessage {
        let id = lastNumber
        switch request {
        case .put(let path, let value): return .put(id: id, path: path, value: value)
        case .transact(let path, let value, let hash):
            return .put(id: id, path: path, value: value, condition: Condition(hash))
        case .merge(let path, let writes): return .merge(id: id, path: path, writes: writes)
        case .get(let path): return .get(id: id, path: path)
        case .listen(let path):
            listens[path] = id
            return .listen(id: id, path: path)
        case .unlisten(let path):
            return .unlisten(id: id, listen: listens.removeValue(forKey: path) ?? 0)
        case .onDisconnect(let path, let value):
            return .onDisconnect(id: id, path: path, value: value)
        case .onDisconnectCancel(let path): return .onDisconnectCancel(id: id, path: path)
        }
    }

    private func realtimeText(of request: OneClientProgram.Request) -> [UInt8] {
        let number = Int64(lastNumber)
        func at(_ path: Path) -> String { "{\"p\":\"\(path)\"}" }
        switch request {
        case .put(let path, let value):
            return FirebaseText.request(number, "p", FirebaseText.put(path, value))
        case .transact(let path, let value, let hash):
            return FirebaseText.request(number, "p", FirebaseText.put(path, value, if: hash))
        case .merge(let path, let writes):
            return FirebaseText.request(number, "m", FirebaseText.merge(path, writes))
        case .get(let path): return FirebaseText.request(number, "g", at(path))
        case .listen(let path): return FirebaseText.request(number, "q", at(path))
        case .unlisten(let path): return FirebaseText.request(number, "n", at(path))
        case .onDisconnect(let path, let value):
            return FirebaseText.request(number, "o", FirebaseText.put(path, value))
        case .onDisconnectCancel(let path): return FirebaseText.request(number, "oc", at(path))
        }
    }

    private func restText(of request: OneClientProgram.Request) -> [UInt8] {
        let host = "n\(node + 1)"
        switch request {
        case .put(let path, let value):
            return RestText.request(
                "PUT", RestText.target(path), to: host,
                body: JSONWriter.text(of: value, form: .export))
        case .transact(let path, let value, let hash):
            return RestText.request(
                "PUT", RestText.target(path), to: host,
                fields: ["if-match: \(hash.text.isEmpty ? "null_etag" : hash.text)"],
                body: JSONWriter.text(of: value, form: .export))
        case .merge(let path, let writes):
            let members = writes.map {
                "\"\($0.path.keys[0].text)\":\(JSONWriter.text(of: $0.value, form: .export))"
            }
            return RestText.request(
                "PATCH", RestText.target(path), to: host,
                body: "{\(members.joined(separator: ","))}")
        default:
            guard case .get(let path) = request else { preconditionFailure("\(request) by REST") }
            return RestText.request("GET", RestText.target(path), to: host)
        }
    }

    // MARK: Receiving

    mutating func receive(_ cluster: inout OneClientCluster) {
        for (id, told) in cluster.removeTold() {
            switch told {
            case .frame(let frame): receive(frame: frame)
            case .bytes(let bytes) where way == .rest: receive(rest: bytes)
            case .bytes(let bytes): receive(bytes, on: id)
            }
        }
        flush(&cluster)
    }

    private mutating func receive(frame: [UInt8]) {
        for case .message(let message) in try! FrameReader<NodeMessage>.messages(in: frame) {
            switch message {
            // With 0 the node probes whether its client is there.
            case .ok(let id) where id > 0: note("ok", of: id)
            case .value(let id, let value): note("\(value)", of: id)
            case .error(let id, let code, _, _) where id > 0: note("\(code)", of: id)
            case .change(let listen, let writes):
                // The first one shows all.
                if answers[listen] == "ok" { note(" shows \(writes)", of: listen) }
            default: break
            }
        }
    }

    private mutating func receive(_ bytes: [UInt8], on id: SessionID) {
        guard let lane = connections.first(where: { $0.value == id })?.key else { return }
        for event in transport.receive(bytes, on: lane, by: reader, &random) {
            switch event {
            case .text(let text):
                if let message = FirebaseMessage(text, by: reader) { receive(message, as: text) }
            case .message(let message): receive(message, as: nil)
            case .ended(let code): note("ended with \(code)", of: 0)
            case .refused(let code): note("refused with \(code)", of: 0)
            case .failure(let problem): note(problem, of: 0)
            }
        }
    }

    private mutating func receive(_ message: FirebaseMessage, as text: [UInt8]?) {
        switch message {
        case .handshake: isReady = true
        case .response(let number, let status):
            note(text.map { String(decoding: $0, as: UTF8.self) } ?? status, of: UInt64(number))
        default: break
        }
    }

    private mutating func receive(rest bytes: [UInt8]) {
        for event in answerReader.receive(bytes) {
            switch event {
            case .head(let head): (status, body) = (head.status, [])
            case .body(let bytes): body += bytes
            case .end:
                lastAnswer += 1
                note("\(status) \(String(decoding: body, as: UTF8.self))", of: lastAnswer)
            case .failure(let problem): note(problem, of: 0)
            }
        }
    }

    private mutating func note(_ text: String, of number: UInt64) {
        answers[number, default: ""] += text
    }
}
