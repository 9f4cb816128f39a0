import ClientCore
import DataTree
import GatewayCore
import JSONText
import QueryEngine
import SyncProtocol

/// The messages of a Firebase client, as JSON.
enum FirebaseText {
    /// That the client sends by a WebSocket from now on, and that it sends nothing more by polls.
    static let acknowledgedSwitch = Array(#"{"t":"c","d":{"t":"a","d":{}}}"#.utf8)
    static let endedTransmission = Array(#"{"t":"c","d":{"t":"n","d":{}}}"#.utf8)
    /// The message of a client that has nothing to send.
    static let keepAlive = Array("0".utf8)

    static func request(_ number: Int64, _ action: String, _ body: String) -> [UInt8] {
        Array(#"{"t":"d","d":{"r":\#(number),"a":"\#(action)","b":\#(body)}}"#.utf8)
    }

    static func put(_ path: Path, _ value: Value, if condition: DataHash? = nil) -> String {
        let hash = condition.map { #","h":"\#($0.text)""# } ?? ""
        return #"{"p":\#(quoted(path.description)),"d":\#(json(value))\#(hash)}"#
    }

    static func merge(_ path: Path, _ writes: [Write]) -> String {
        let members = writes.map { write in
            "\(quoted(write.path.keys.map(\.text).joined(separator: "/"))):\(json(write.value))"
        }
        let data = members.joined(separator: ",")
        return #"{"p":\#(quoted(path.description)),"d":{\#(data)}}"#
    }

    /// A listen, with the hash of what the client holds.
    static func listen(
        _ listen: ServerListen, holding held: Value?, withRanges: Bool
    ) -> String {
        let hash = held.map { DataHash(of: $0).text } ?? ""
        var text = #"{\#(name(of: listen)),"h":"\#(hash)""#
        if let held, withRanges, !held.isNull {
            let ranges = CompoundHash(of: held)
            let posts = ranges.posts.map { quoted($0.keys.map(\.text).joined(separator: "/")) }
            let hashes = ranges.hashes.map(quoted)
            text +=
                #","ch":{"hs":[\#(hashes.joined(separator: ","))],"ps":[\#(posts.joined(separator: ","))]}"#
        }
        return text + "}"
    }

    static func end(of listen: ServerListen) -> String { "{\(name(of: listen))}" }

    private static func name(of listen: ServerListen) -> String {
        let path = #""p":\#(quoted(listen.path.description))"#
        guard let tag = listen.tag else { return path }
        return #"\#(path),"q":\#(listen.query.realtimeText),"t":\#(tag.number)"#
    }

    private static func quoted(_ text: String) -> String { json(.string(text)) }

    private static func json(_ value: Value) -> String {
        JSONWriter.text(of: value, form: .export)
    }
}

/// The messages of a node that a Firebase client understands.
enum FirebaseMessage {
    case handshake(session: String)
    case redirect(host: String)
    /// The node knows the WebSocket to which a session changes; it sends nothing more by polls.
    case acknowledgedSwitch, endedTransmission
    case overwrite(Path, Value, Tag?)
    case merge(Path, [(path: Path, value: Value)], Tag?)
    case ranges(Path, [(range: LeafRange, value: Value)], Tag?)
    case response(Int64, status: String)

    /// Reads a message; nil if it is none that a node sends.
    init?(_ text: [UInt8], by reader: JSONReader) {
        let message = try? reader.read(text) { FirebaseMessage($0) }
        guard let message else { return nil }
        self = message
    }

    /// Reads a list of messages; nil if one is none that a node sends.
    static func all(in text: [UInt8], by reader: JSONReader) -> [FirebaseMessage]? {
        let messages = try? reader.read(text) { $0.elements?.map { FirebaseMessage($0) } ?? [nil] }
        guard let messages, !messages.contains(where: { $0 == nil }) else { return nil }
        return messages.compactMap { $0 }
    }

    private init?(control data: JSONNode) {
        switch data["t"]?.string {
        case "r":
            guard let host = data["d"]?.string else { return nil }
            self = .redirect(host: host)
        case "h":
            guard let name = data["d"]?["s"]?.string else { return nil }
            self = .handshake(session: name)
        case "a": self = .acknowledgedSwitch
        case "n": self = .endedTransmission
        default: return nil
        }
    }

    private init?(_ message: JSONNode) {
        guard let data = message["d"] else { return nil }
        if message["t"]?.string == "c" {
            self.init(control: data)
        } else if let number = data["r"]?.integer {
            guard let status = data["b"]?["s"]?.string else { return nil }
            self = .response(number, status: status)
        } else {
            guard let body = data["b"], let push = try? FirebaseMessage(data["a"]?.string, body)
            else { return nil }
            self = push
        }
    }

    private init?(_ action: String?, _ body: JSONNode) throws {
        guard let path = try (body["p"]?.string).map({ try Path($0) }), let data = body["d"] else {
            return nil
        }
        let tag = (body["t"]?.integer).map { Tag(number: UInt64($0)) }
        switch action {
        case "d": self = .overwrite(path, try data.value(), tag)
        case "m": self = .merge(path, try data.update(), tag)
        case "rm": self = .ranges(path, try (data.elements ?? []).map(FirebaseMessage.range), tag)
        default: return nil
        }
    }

    private static func range(_ node: JSONNode) throws -> (range: LeafRange, value: Value) {
        let after = try (node["s"]?.string).map { try Path($0) }
        let through = try (node["e"]?.string).map { try Path($0) }
        return (LeafRange(after: after, through: through), try node["m"]?.value() ?? .null)
    }
}
