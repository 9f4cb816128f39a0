internal import DataTree
internal import JSONText
internal import QueryEngine
internal import Rules
internal import SyncProtocol

/// A task of the gateway for a session of the console; the gateway executes them in order.
enum ConsoleEffect: Equatable {
    /// Send a text message.
    case send([UInt8])
    /// Send the status of the node, with those of others.
    case sendStatus(Value)
    /// Ask the other nodes for their statuses.
    case reportPeers
    /// Announce the client's principal to the replica.
    case identify(Principal)
    /// Hand requests to the replica.
    case ask([ClientMessage])
    /// Have the node write a backup of all its databases into a file, and call `finishBackup`.
    case backUp(NodeBackup)
    /// Call `sendRefusal` somewhat later.
    case delayRefusal
    /// Close the connection.
    case close(SessionEnd)
}

/// The session of one page of the console: its windows on the data, and the reports that it wants.
///
/// It reads the locations of its windows some times a second, by the same requests as every client, so that rules apply to each
/// read. A value is an immutable snapshot that shares its memory with the tree: a read costs the same for a million children as
/// for one. One request of a window is open at a time, and nothing is queued: a page that reads slowly gets fewer, later changes.
struct ConsoleSession {
    /// The most windows of a page, each one of a list that is open.
    static let windowLimit = 64
    /// How often windows are read, and reports are asked for.
    static let windowMilliseconds: UInt64 = 100
    static let refusedMilliseconds: UInt64 = 1_000
    static let statusMilliseconds: UInt64 = 1_000
    /// The most questions and commands that wait for their answers.
    static let questionLimit = 8
    /// A page that sends no greeting for so long is disconnected.
    static let greetingMilliseconds: UInt64 = 10_000

    let console: Console?
    let isEmulator: Bool
    /// The database that the page shows.
    let database: DatabaseName
    var identity: Identity
    var isGreeted = false
    private let openedMilliseconds: UInt64
    var windows: [Int: ConsoleWindow] = [:]
    var wantsStatus = false
    var statusRequest: UInt64?
    var statusDueMilliseconds: UInt64 = 0
    /// The questions why locations have their values.
    var questions: [UInt64: LocationHistory] = [:]
    /// The operations that the page follows.
    var events: ConsoleEvents?
    /// The questions what the rules say.
    var verdicts: [UInt64: Int] = [:]
    /// The commands, by which the page knows them.
    var commands: [UInt64: Int] = [:]
    /// The request of a backup that the node writes.
    var backup: Int?
    private(set) var lastRequest: UInt64 = 0
    var refusal: CredentialFailure?

    /// A session of a client that is nobody else until it shows a token.
    init(
        _ console: Console?, as identity: Identity, of database: DatabaseName = .default,
        isEmulator: Bool, at now: Moment
    ) {
        (self.console, self.identity, self.isEmulator) = (console, identity, isEmulator)
        self.database = database
        openedMilliseconds = now.elapsedMilliseconds
    }

    /// Whether the session has something to do at a time.
    func isDue(at now: Moment) -> Bool {
        let time = now.elapsedMilliseconds
        if !isGreeted { return time >= openedMilliseconds + ConsoleSession.greetingMilliseconds }
        if identity.hasEnded(at: time) { return true }
        if wantsStatus, statusRequest == nil, time >= statusDueMilliseconds { return true }
        if events?.isDue(at: time) == true { return true }
        return windows.values.contains { $0.request == nil && time >= $0.dueMilliseconds }
    }

    /// Whether the session has windows or reports, which are read at intervals.
    var isWatching: Bool { wantsStatus || events != nil || !windows.isEmpty }

    /// Sends the requests that are due.
    mutating func refresh(
        at now: Moment, with authentication: borrowing Authentication
    ) -> [ConsoleEffect] {
        let time = now.elapsedMilliseconds
        guard isGreeted else {
            let isLate = time >= openedMilliseconds + ConsoleSession.greetingMilliseconds
            return isLate ? [.close(.silent)] : []
        }
        if identity.hasEnded(at: time) { return expireIdentity(with: authentication) }
        var messages: [ClientMessage] = []
        var effects: [ConsoleEffect] = []
        for (id, window) in windows.sorted(by: { $0.key < $1.key })
        where window.request == nil && time >= window.dueMilliseconds {
            let request = nextRequest()
            windows[id]!.request = request
            messages.append(.get(id: request, path: window.place.path, query: .byKey))
        }
        if wantsStatus, statusRequest == nil, time >= statusDueMilliseconds {
            statusRequest = nextRequest()
            messages.append(.status(id: lastRequest))
            if database.isDefault, authentication.mayRead(.status, as: identity.principal) {
                effects.append(.reportPeers)
            }
        }
        if events?.isDue(at: time) == true {
            let request = nextRequest()
            messages += [events?.next(request)].compactMap(\.self)
        }
        return messages.isEmpty ? [] : effects + [.ask(messages)]
    }

    mutating func nextRequest() -> UInt64 {
        lastRequest += 1
        return lastRequest
    }
}

extension Query {
    /// Rules see a read without parameters as one in the order of keys.
    fileprivate static let byKey = (try? Query().orderedByKey()) ?? Query()
}
