import DataTree
import JSONText
import ReplicaCore
import Rules
import SyncProtocol

@testable import GatewayCore

/// One replica that keeps nothing on disk, and Firebase sessions above it, as a gateway would drive them.
struct RealtimeRig {
    private(set) var replica: Replica
    private var sessions: [SessionID: RealtimeSession] = [:]
    private(set) var closed: [SessionID: UInt16] = [:]
    /// The sessions that wait until a refusal is due.
    private(set) var delayed: [SessionID] = []
    /// The messages of this turn.
    private var sent: [SessionID: [String]] = [:]
    private var texts = GatewayTexts()
    private let reader = RealtimeSession.makeReader()
    private var elapsedMilliseconds: UInt64 = 0
    /// Verifies the credentials of all clients.
    var authentication = Authentication()
    /// The identities that the replica receives for each client, in order.
    private(set) var identities: [SessionID: [Principal]] = [:]

    init(demandingIndexes: Bool = false) {
        var configuration = ReplicaConfiguration(
            cluster: "test", member: "n1", peers: ["n1"], durability: .memory, seed: 1)
        configuration.strictIndexes = demandingIndexes
        replica = Replica(configuration, properties: [])
    }

    private var now: Moment {
        Moment(
            wallMilliseconds: 1_700_000_000_000 + elapsedMilliseconds,
            elapsedMilliseconds: elapsedMilliseconds)
    }

    /// A turn in which something happens; returns what each client was sent.
    @discardableResult
    mutating func turn(
        after milliseconds: UInt64 = 1, _ body: (inout RealtimeRig) -> Void = { _ in }
    ) -> [SessionID: [String]] {
        elapsedMilliseconds += milliseconds
        sent = [:]
        step(.turnBegan(now))
        body(&self)
        step(.turnEnded)
        texts.removeAll()
        return sent
    }

    mutating func step(_ input: Input) {
        for case .replyMessages(let session, let answers) in replica.step(input) {
            perform(sessions[session]?.answered(answers, sharing: &texts) ?? [], of: session)
        }
    }

    private mutating func perform(_ effects: [RealtimeEffect], of session: SessionID) {
        for effect in effects {
            switch effect {
            case .send(let text):
                sent[session, default: []].append(String(decoding: text, as: UTF8.self))
            case .identify(let principal): identities[session, default: []].append(principal)
            case .ask(let messages): step(.requestedMessages(messages, by: session))
            case .close(let end): closed[session] = end.code
            case .delayRefusal: delayed.append(session)
            }
        }
    }

    // MARK: Clients

    /// A client connects; returns its handshake.
    mutating func connect(_ number: UInt64 = 1) -> [String] {
        let id = SessionID(number: number)
        return turn { rig in
            rig.step(.opened(id))
            rig.sessions[id] = RealtimeSession(
                name: String(repeating: "0", count: 31) + "\(number)", host: "h:1",
                as: rig.authentication.initial, at: rig.now)
            let now = rig.now
            let effects = rig.sessions[id]!.begin(at: now)
            rig.perform(effects, of: id)
        }[id] ?? []
    }

    /// A client sends messages; returns what it is sent in the same turn.
    mutating func send(
        _ messages: String..., by number: UInt64 = 1, after milliseconds: UInt64 = 1
    ) -> [String] {
        send(messages.map { Array($0.utf8) }, by: number, after: milliseconds)
    }

    mutating func send(
        _ messages: [[UInt8]], by number: UInt64 = 1, after milliseconds: UInt64 = 1
    ) -> [String] {
        let id = SessionID(number: number)
        return turn(after: milliseconds) { rig in
            for message in messages { rig.receive(message, of: id) }
        }[id] ?? []
    }

    mutating func receive(_ message: [UInt8], of id: SessionID) {
        let (now, reader) = (now, reader)
        let effects = sessions[id]?.received(
            message, at: now, by: reader, with: &authentication)
        perform(effects ?? [], of: id)
    }

    /// A client sends a request, and gets what the turn sends it.
    mutating func request(
        _ number: Int, _ action: String, _ body: String, by client: UInt64 = 1
    ) -> [String] {
        send(RealtimeRig.request(number, action, body), by: client)
    }

    static func request(_ number: Int, _ action: String, _ body: String) -> String {
        #"{"t":"d","d":{"r":\#(number),"a":"\#(action)","b":\#(body)}}"#
    }

    /// Time passes, after which deadlines are looked at; returns what a client is sent.
    mutating func wait(_ milliseconds: UInt64, _ number: UInt64 = 1) -> [String] {
        let id = SessionID(number: number)
        return turn(after: milliseconds) { rig in
            let effects = rig.sessions[id]!.expireCredential(
                at: rig.now, with: rig.authentication)
            rig.perform(effects, of: id)
        }[id] ?? []
    }

    /// The replica tells a client something; returns what the client is sent.
    mutating func answer(_ message: NodeMessage, _ number: UInt64 = 1) -> [String] {
        let id = SessionID(number: number)
        return turn { rig in
            let effects = rig.sessions[id]!.answered(
                [SessionAnswer(message)], sharing: &rig.texts)
            rig.perform(effects, of: id)
        }[id] ?? []
    }

    /// A refusal is due.
    mutating func refuse(_ number: UInt64 = 1) -> [String] {
        let id = SessionID(number: number)
        return turn { rig in
            let effects = rig.sessions[id]!.sendRefusal()
            rig.perform(effects, of: id)
        }[id] ?? []
    }

    /// The connection has room again.
    mutating func resume(_ number: UInt64 = 1) -> [String] {
        let id = SessionID(number: number)
        return turn { rig in
            let effects = rig.sessions[id]!.resume()
            rig.perform(effects, of: id)
        }[id] ?? []
    }

    func isWaiting(_ number: UInt64 = 1) -> Bool {
        sessions[SessionID(number: number)]!.isWaiting
    }

    func isSilent(_ number: UInt64 = 1) -> Bool {
        sessions[SessionID(number: number)]!.isSilent(at: now)
    }

    mutating func stop(redirectingTo host: String?, _ number: UInt64 = 1) -> [String] {
        let id = SessionID(number: number)
        return turn { rig in
            let effects = rig.sessions[id]!.end(redirectedTo: host)
            rig.perform(effects, of: id)
        }[id] ?? []
    }

    /// The answer to a request.
    static func answer(_ number: Int, _ status: String = "ok", _ payload: String = #""""#) -> String
    {
        #"{"t":"d","d":{"r":\#(number),"b":{"s":"\#(status)","d":\#(payload)}}}"#
    }

    /// A push.
    static func push(_ action: String, _ path: String, _ data: String, tag: Int? = nil) -> String {
        let tag = tag.map { #","t":\#($0)"# } ?? ""
        return #"{"t":"d","d":{"a":"\#(action)","b":{"p":"\#(path)","d":\#(data)\#(tag)}}}"#
    }
}

extension RealtimeRig {
    /// A rig with so many clients that are connected.
    static func connected(_ clients: Int = 1) -> RealtimeRig {
        var rig = RealtimeRig()
        for number in 1...clients { _ = rig.connect(UInt64(number)) }
        return rig
    }

    /// A message in the turn that runs.
    mutating func receiving(_ text: String, by number: UInt64) {
        receive(Array(text.utf8), of: SessionID(number: number))
    }
}
