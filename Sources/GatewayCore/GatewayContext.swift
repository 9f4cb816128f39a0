internal import DataTree
internal import HTTPText
internal import JSONText
internal import SyncProtocol

/// What all connections of a gateway share.
struct GatewayContext {
    let configuration: GatewayConfiguration
    let hostRule: HostRule
    let originRule: OriginRule
    let json = JSONReader()
    /// For the messages of Firebase's protocol, in which values lie somewhat deeper.
    let realtimeJSON: JSONReader
    private(set) var now = Moment(wallMilliseconds: 0, elapsedMilliseconds: 0)
    private(set) var date = HTTPDate(unixSeconds: 0)
    private var dateSeconds: Int64 = 0
    var availability = Availability.unavailable(reason: "starting")
    var texts = GatewayTexts()
    var metrics = GatewayMetrics()
    private var realtimeNames: [String: SessionID] = [:]
    private var realtimeCount: UInt64 = 0
    /// Connections whose sessions their clients have ended from others.
    private var displaced: [SessionID] = []
    /// The bytes of all bodies that are not complete.
    var bodyBytes = 0
    private var outputs: [GatewayOutput] = []

    init(_ configuration: GatewayConfiguration) {
        self.configuration = configuration
        hostRule = HostRule(names: configuration.hosts)
        originRule = OriginRule(origins: configuration.origins)
        realtimeJSON = JSONReader(
            maximumBytes: configuration.messageBytes, maximumDepth: RealtimeMessage.depth)
    }

    var elapsedMilliseconds: UInt64 { now.elapsedMilliseconds }

    mutating func beginTurn(at moment: Moment) {
        now = moment
        let seconds = Int64(clamping: moment.wallMilliseconds / 1000)
        if seconds != dateSeconds {
            dateSeconds = seconds
            date = HTTPDate(unixSeconds: seconds)
        }
    }

    mutating func output(_ output: GatewayOutput) { outputs.append(output) }

    /// Sends bytes, unless there are none.
    mutating func send(_ bytes: [UInt8], to id: SessionID) {
        if !bytes.isEmpty { outputs.append(.send(id, bytes)) }
    }

    /// Removes and returns what the driver must do.
    mutating func removeOutputs() -> [GatewayOutput] {
        if outputs.isEmpty { return [] }
        var removed: [GatewayOutput] = []
        swap(&removed, &outputs)
        return removed
    }
}

// MARK: - Names of sessions

extension GatewayContext {
    /// Gives a session a name of 32 letters and digits. Who knows it can end the session, so nobody can guess it.
    mutating func nameRealtime(_ id: SessionID) -> String {
        let name = randomText() + randomText()
        realtimeNames[name] = id
        return name
    }

    mutating func forgetRealtime(_ name: String) { realtimeNames[name] = nil }

    /// Ends the session with a name, if there is one, before the next one of its client begins.
    mutating func endRealtime(_ name: String) {
        guard let id = realtimeNames.removeValue(forKey: name) else { return }
        output(.end(id))
        displaced.append(id)
    }

    /// Removes and returns a connection whose session was ended from another one.
    mutating func removeDisplaced() -> SessionID? { displaced.popLast() }

    /// 16 letters and digits, different each time, that only the secret tells.
    private mutating func randomText() -> String {
        realtimeCount += 1
        var digest = SHA1()
        digest.update("\(configuration.secret) \(realtimeCount)")
        let text = digest.base64().utf8.prefix(16).map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "a")
            case UInt8(ascii: "/"): UInt8(ascii: "b")
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
