internal import DataTree
internal import HTTPText
internal import JSONText
internal import Marks
internal import SyncProtocol

/// The state that all connections of a gateway share.
struct GatewayContext {
    let configuration: GatewayConfiguration
    let hostRule: HostRule
    let originRule: OriginRule
    var authentication: Authentication
    let json = JSONReader()
    /// For the messages of Firebase's protocol, in which values lie somewhat deeper.
    let realtimeJSON: JSONReader
    private(set) var now = Moment(wallMilliseconds: 0, elapsedMilliseconds: 0)
    private(set) var date = HTTPDate(unixSeconds: 0)
    private var dateSeconds: Int64 = 0
    var availability = Availability.unavailable(reason: "starting")
    var texts = GatewayTexts()
    var metrics = GatewayMetrics()
    var longPolls: LongPollTable
    var databases: DatabaseResolution
    var lasting: DatabaseConnections
    /// The use of the databases, as it was reported last.
    var databaseUses: [DatabaseUse] = []
    /// The statuses of the other nodes, as they were reported last.
    var peerReports: [PeerReport] = []
    /// The other nodes that this node reaches.
    var reachedNodes: [String] = []
    private var refusals = DelayedRefusals()
    /// Refusals by limits, which wait as long.
    private var pacedRefusals = DelayedRefusals()
    private var realtimeNames: [String: SessionID] = [:]
    private var nameCount: UInt64 = 0
    /// The connections of sessions whose clients polled before.
    private var routes: [SessionID: SessionID] = [:]
    /// Tasks for other connections, in order.
    private var signals: [(connection: SessionID, ConnectionSignal)] = []
    /// The feeds of the console that read data at intervals.
    private var consoles = ConsoleFeeds()
    /// The bytes of all bodies that are not complete.
    var bodies: BodyBytes
    /// The memory that sessions of Firebase's WebSockets use.
    private var shares: MemoryShares
    private var outputs: [GatewayOutput] = []
    /// The units of work of this turn so far.
    var units = 0
    /// The connections whose answers wait for hashes, in the order in which they are to be served.
    var hashing: [SessionID] = []
    /// The hashes that several of them wait for.
    var hashes = SharedHashes()

    init(_ configuration: GatewayConfiguration) {
        self.configuration = configuration
        authentication = Authentication(configuration)
        longPolls = LongPollTable(
            limit: configuration.connectionLimit, byteLimit: configuration.bodiesBytes)
        databases = DatabaseResolution(
            unknown: configuration.unknownDatabases, limit: configuration.databaseLimit,
            isComplete: !configuration.awaitsDatabases)
        lasting = DatabaseConnections(within: configuration.databaseLimits)
        bodies = BodyBytes(limit: configuration.bodiesBytes)
        shares = MemoryShares(limit: configuration.messagesBytes)
        hostRule = HostRule(names: configuration.hosts)
        // A page of another site has no secret and no token, unless its user gives it one.
        originRule =
            authentication.keepsOutPages ? .any : OriginRule(origins: configuration.origins)
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
        if bytes.isEmpty { return }
        units += GatewayUnits.message + bytes.count / GatewayUnits.sentBytes
        outputs.append(.send(id, bytes))
    }

    /// Removes and returns what the driver must do.
    mutating func removeOutputs() -> [GatewayOutput] {
        if outputs.isEmpty { return [] }
        var removed: [GatewayOutput] = []
        swap(&removed, &outputs)
        return removed
    }
}

// MARK: - Other connections

extension GatewayContext {
    /// Lets another connection do something once the present one is processed.
    mutating func signal(_ signal: ConnectionSignal, to connection: SessionID) {
        signals.append((connection, signal))
    }

    /// Removes and returns what other connections must do; nil if that is nothing.
    mutating func removeSignals() -> [(connection: SessionID, ConnectionSignal)]? {
        if signals.isEmpty { return nil }
        defer { signals = [] }
        return signals
    }

    /// Sets the bytes that a WebSocket keeps; if that is too much for all together, the one that keeps most ends.
    mutating func setShare(_ bytes: Int, of connection: SessionID) {
        guard let largest = shares.set(bytes, of: connection) else { return }
        signal(.close(.memory), to: largest)
    }

    /// The connection of a session.
    func connection(of session: SessionID) -> SessionID {
        routes.isEmpty ? session : routes[session] ?? session
    }

    /// Sets which connection has a session of another number.
    mutating func route(_ session: SessionID, to connection: SessionID?) {
        routes[session] = connection
    }
}

// MARK: - Refusals

extension GatewayContext {
    /// Has a session, or a connection by the number of its session, send a refusal somewhat later; false if too many wait.
    ///
    /// - Parameter isGuess: Whether it is for want of a credential, and counts in the metrics.
    mutating func delayRefusal(of session: SessionID, isGuess: Bool = true) -> Bool {
        guard refusals.add(session, at: elapsedMilliseconds, isGuess: isGuess) else { return false }
        output(.wake(afterMilliseconds: DelayedRefusals.delayMilliseconds))
        return true
    }

    /// Has a connection send a refusal by a limit somewhat later; false if too many wait.
    mutating func paceRefusal(of connection: SessionID) -> Bool {
        guard pacedRefusals.add(connection, at: elapsedMilliseconds) else { return false }
        output(.wake(afterMilliseconds: DelayedRefusals.delayMilliseconds))
        return true
    }

    /// Removes and returns those whose refusals are due.
    mutating func removeDueRefusals() -> [SessionID] {
        let due =
            refusals.removeDue(at: elapsedMilliseconds)
            + pacedRefusals.removeDue(at: elapsedMilliseconds)
        for next in [refusals.nextMilliseconds, pacedRefusals.nextMilliseconds].compactMap(\.self) {
            output(.wake(afterMilliseconds: next - elapsedMilliseconds))
        }
        return due
    }

    /// How many requests and messages were refused for want of a credential.
    var refusalCount: UInt64 { refusals.count }
}

// MARK: - The console

extension GatewayContext {
    /// Records whether a connection is a feed of the console that reads data at intervals.
    mutating func setConsole(_ id: SessionID, isWatching: Bool) {
        if consoles.set(id, isWatching: isWatching, at: elapsedMilliseconds) {
            output(.wake(afterMilliseconds: ConsoleSession.windowMilliseconds))
        }
    }

    /// Returns the feeds that read data in this turn.
    mutating func dueConsoles() -> [SessionID] {
        let due = consoles.removeDue(at: elapsedMilliseconds)
        if !due.isEmpty { output(.wake(afterMilliseconds: ConsoleSession.windowMilliseconds)) }
        return due
    }
}

// MARK: - What is kept

extension GatewayContext {
    /// Returns the usage of a gateway with this number of connections.
    func usage(connections: Int) -> GatewayUsage {
        GatewayUsage(
            connections: connections,
            countedConnections: metrics.connections.values.reduce(0, +),
            polledSessions: longPolls.all.count, polledBytes: longPolls.waitingBytes,
            names: realtimeNames.count, routes: routes.count, bodyBytes: bodies.total,
            sessionBytes: shares.total)
    }
}

// MARK: - Names of sessions

extension GatewayContext {
    /// Returns 32 unpredictable letters and digits, different each time.
    mutating func unguessableName() -> String { randomText() + randomText() }

    /// Gives a session a name. Any client that knows the name can end the session.
    mutating func nameRealtime(_ id: SessionID, _ name: String) { realtimeNames[name] = id }

    mutating func forgetRealtime(_ name: String) { realtimeNames[name] = nil }

    /// The session with a name, if its client polls.
    func polledSession(named name: String) -> SessionID? {
        guard let id = realtimeNames[name], longPolls.contains(id) else { return nil }
        return id
    }

    /// Ends the session with a name, if there is one, before the next one of its client begins.
    mutating func endRealtime(_ name: String) {
        guard let id = realtimeNames.removeValue(forKey: name) else { return }
        sometimes(.sessionIsDisplaced)
        if longPolls.contains(id) {
            return updateLongPoll(id) { session, _ in session.disconnect(.replaced) }
        }
        output(.end(id))
        signal(.displaced, to: connection(of: id))
    }

    /// 16 letters and digits, different each time, that only the seed tells.
    private mutating func randomText() -> String {
        nameCount += 1
        var digest = SHA1()
        digest.update("\(configuration.nameSeed) \(nameCount)")
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

/// The units of the gateway's work; a unit takes about a microsecond, as those of a replica.
enum GatewayUnits {
    /// The head of a request.
    static let head = 20
    /// A message of a WebSocket, or a body.
    static let text = 4
    /// So many bytes of these, which become values.
    static let receivedBytes = 64
    /// A message to a client.
    static let message = 2
    /// So many of its bytes.
    static let sentBytes = 512
    /// The hashes of all values in a turn.
    static let hashesOfTurn = 2_500
    /// The hash of a value when it is asked for, and again in each turn of its connection.
    static let hashStep = 250
}
