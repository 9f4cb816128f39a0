internal import DataTree
internal import JSONText
internal import QueryEngine
internal import Rules
internal import SyncProtocol

/// What a gateway must do for a session of the console, in order.
enum ConsoleEffect: Equatable {
    /// Send a text message.
    case send([UInt8])
    /// Tell the replica who the client is from here on.
    case identify(Principal)
    /// Hand requests to the replica.
    case ask([ClientMessage])
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
    private static let questionLimit = 8
    /// A page that sends no greeting for so long is disconnected.
    static let greetingMilliseconds: UInt64 = 10_000

    private let access: Access
    private let console: Console?
    private let isEmulator: Bool
    private(set) var identity: Identity
    private var isGreeted = false
    private let openedMilliseconds: UInt64
    private var windows: [Int: ConsoleWindow] = [:]
    private var wantsStatus = false
    private var statusRequest: UInt64?
    private var statusDueMilliseconds: UInt64 = 0
    /// The questions why locations have their values.
    private var questions: [UInt64: LocationHistory] = [:]
    /// The commands, by which the page knows them.
    private var commands: [UInt64: Int] = [:]
    private var lastRequest: UInt64 = 0
    private var refusal: CredentialFailure?

    init(_ console: Console?, access: Access, isEmulator: Bool, at now: Moment) {
        (self.console, self.access, self.isEmulator) = (console, access, isEmulator)
        identity = access.reader(access.initial)
        openedMilliseconds = now.elapsedMilliseconds
    }

    /// Whether the session has something to do at a time.
    func isDue(at now: Moment) -> Bool {
        let time = now.elapsedMilliseconds
        if !isGreeted { return time >= openedMilliseconds + ConsoleSession.greetingMilliseconds }
        if identity.hasEnded(at: time) { return true }
        if wantsStatus, statusRequest == nil, time >= statusDueMilliseconds { return true }
        return windows.values.contains { $0.request == nil && time >= $0.dueMilliseconds }
    }

    /// Whether the session has windows or reports, which are read at intervals.
    var isWatching: Bool { wantsStatus || !windows.isEmpty }

    /// Sends the requests that are due.
    mutating func refresh(at now: Moment) -> [ConsoleEffect] {
        let time = now.elapsedMilliseconds
        guard isGreeted else {
            let isLate = time >= openedMilliseconds + ConsoleSession.greetingMilliseconds
            return isLate ? [.close(.silent)] : []
        }
        if identity.hasEnded(at: time) { return expireIdentity() }
        var messages: [ClientMessage] = []
        for (id, window) in windows.sorted(by: { $0.key < $1.key })
        where window.request == nil && time >= window.dueMilliseconds {
            let request = nextRequest()
            windows[id]!.request = request
            messages.append(.get(id: request, path: window.place.path, query: .byKey))
        }
        if wantsStatus, statusRequest == nil, time >= statusDueMilliseconds {
            statusRequest = nextRequest()
            messages.append(.status(id: lastRequest))
        }
        return messages.isEmpty ? [] : [.ask(messages)]
    }

    private mutating func nextRequest() -> UInt64 {
        lastRequest += 1
        return lastRequest
    }
}

// MARK: - Messages of the page

extension ConsoleSession {
    /// Processes a message of the page.
    mutating func receive(
        _ text: [UInt8], by reader: JSONReader, at now: Moment
    ) -> [ConsoleEffect] {
        let message: ConsoleMessage
        do throws(ConsoleMessage.Failure) {
            message = try ConsoleMessage(text, by: reader)
        } catch {
            return [.close(SessionEnd(.unreadable, String(error.problem.prefix(100))))]
        }
        if case .hello(let token) = message { return greet(token, at: now) }
        guard isGreeted else { return [] }
        switch message {
        case .hello: return []
        case .window(let id, let place): return open(id, place, at: now)
        case .close(let id):
            windows[id] = nil
            return []
        case .status(let isWanted):
            wantsStatus = isWanted
            statusDueMilliseconds = now.elapsedMilliseconds
            return refresh(at: now)
        case .why(let id, let path):
            return ask(id) { session, request in
                session.questions[request] = LocationHistory(id: id, path: path)
                return .why(id: request, path: path, beyond: VersionVector())
            }
        case .backup(let id, let name):
            return ask(id) { session, request in
                session.commands[request] = id
                return .backup(id: request, name: name)
            }
        case .evict(let id, let member):
            return ask(id) { session, request in
                session.commands[request] = id
                return .evict(id: request, member: member)
            }
        }
    }

    private mutating func greet(_ token: String?, at now: Moment) -> [ConsoleEffect] {
        guard let token, !access.isOpen else {
            return become(access.reader(access.initial))
        }
        do throws(CredentialFailure) {
            return become(try access.identity(of: token, at: now))
        } catch {
            // One refusal waits at a time, so that guessing is slow.
            guard refusal == nil else { return [.close(.credentials)] }
            refusal = error
            return [.delayRefusal]
        }
    }

    /// Refuses the credential that was wrong. The session goes on as the client that it was.
    mutating func sendRefusal() -> [ConsoleEffect] {
        guard let failure = refusal else { return [] }
        refusal = nil
        let text = failure.refusal
        return [.send(ConsoleText.denial(text.problem, text.fix ?? ""))]
    }

    private mutating func become(_ next: Identity) -> [ConsoleEffect] {
        identity = next
        isGreeted = true
        // Answers to requests of the earlier client are ignored.
        windows = [:]
        (questions, commands) = ([:], [:])
        (wantsStatus, statusRequest) = (false, nil)
        let user = next.principal.auth?.json ?? "\"administrator\""
        let ready = ConsoleText.ready(
            console, user: user, isOpen: access.isOpen, hasTokens: access.hasTokens,
            isEmulator: isEmulator)
        return [.identify(next.principal), .send(ready)]
    }

    private mutating func expireIdentity() -> [ConsoleEffect] {
        let denial = CredentialFailure.expired.refusal
        return become(access.reader(access.initial))
            + [.send(ConsoleText.denial(denial.problem, denial.fix ?? ""))]
    }

    /// Ends an identity by a token whose key is no longer trusted.
    mutating func reviewIdentity(at now: Moment) -> [ConsoleEffect] {
        access.review(&identity, at: now)
        return identity.hasEnded(at: now.elapsedMilliseconds) ? expireIdentity() : []
    }

    private mutating func open(
        _ id: Int, _ place: ConsoleWindow.Place, at now: Moment
    ) -> [ConsoleEffect] {
        guard windows[id] != nil || windows.count < ConsoleSession.windowLimit else {
            let refusal = ConsoleText.refusal(
                of: id, "too_big", "\(ConsoleSession.windowLimit) locations are open",
                "close one before you open another")
            return [.send(refusal)]
        }
        guard access.admits(identity.principal) else {
            let denial = RestFailure.permissionDenied
            let refusal = ConsoleText.refusal(
                of: id, ErrorCode.permissionDenied.rawValue, denial.problem, denial.fix ?? "")
            return [.send(refusal)]
        }
        windows[id, default: ConsoleWindow(place)].move(to: place)
        // An answer that is on its way is for the place before.
        windows[id]!.request = nil
        windows[id]!.dueMilliseconds = now.elapsedMilliseconds
        return refresh(at: now)
    }

    /// Asks a question of the page, unless too many wait.
    private mutating func ask(
        _ id: Int, _ message: (inout ConsoleSession, UInt64) -> ClientMessage
    ) -> [ConsoleEffect] {
        guard questions.count + commands.count < ConsoleSession.questionLimit else {
            let refusal = ConsoleText.refusal(
                of: id, ErrorCode.tooBig.rawValue,
                "\(ConsoleSession.questionLimit) requests wait for answers", "wait for one of them")
            return [.send(refusal)]
        }
        let request = nextRequest()
        return [.ask([message(&self, request)])]
    }
}

// MARK: - Answers of the replica

extension ConsoleSession {
    /// Processes the answers of one turn.
    mutating func process(_ answers: [SessionAnswer], at now: Moment) -> [ConsoleEffect] {
        answers.flatMap { process($0.message, at: now) }
    }

    private mutating func process(_ message: NodeMessage, at now: Moment) -> [ConsoleEffect] {
        switch message {
        case .value(let request, let value): show(value, answering: request, at: now)
        case .ok(let request): finish(request, "")
        case .error(let request, let code, let problem, let fix):
            refuse(request, code, problem, fix, at: now)
        default: []
        }
    }

    /// Answers a command that is done.
    private mutating func finish(_ request: UInt64, _ text: String) -> [ConsoleEffect] {
        guard let id = commands.removeValue(forKey: request) else { return [] }
        return [.send(ConsoleText.done(id, text))]
    }

    private mutating func show(
        _ value: Value, answering request: UInt64, at now: Moment
    ) -> [ConsoleEffect] {
        if request == statusRequest {
            statusRequest = nil
            statusDueMilliseconds = now.elapsedMilliseconds + ConsoleSession.statusMilliseconds
            return wantsStatus ? [.send(ConsoleText.status(value))] : []
        }
        if var history = questions.removeValue(forKey: request) {
            guard let held = history.append(value) else { return [.send(history.answer)] }
            questions[nextRequest()] = history
            return [.ask([.why(id: lastRequest, path: history.path, beyond: held)])]
        }
        guard let id = window(awaiting: request) else {
            if case .string(let text) = value { return finish(request, text) }
            return []
        }
        windows[id]!.request = nil
        windows[id]!.dueMilliseconds =
            now.elapsedMilliseconds + windows[id]!.intervalMilliseconds
        let text = windows[id]!.show(value, as: id, at: now.elapsedMilliseconds)
        return text.map { [.send($0)] } ?? []
    }

    private mutating func refuse(
        _ request: UInt64, _ code: ErrorCode, _ problem: String, _ fix: String, at now: Moment
    ) -> [ConsoleEffect] {
        let later = now.elapsedMilliseconds + ConsoleSession.refusedMilliseconds
        if request == statusRequest {
            (statusRequest, statusDueMilliseconds) = (nil, later)
            return [.send(ConsoleText.status(.null))]
        }
        if let history = questions.removeValue(forKey: request) {
            return [.send(ConsoleText.refusal(of: history.id, code.rawValue, problem, fix))]
        }
        if let id = commands.removeValue(forKey: request) {
            return [.send(ConsoleText.refusal(of: id, code.rawValue, problem, fix))]
        }
        guard let id = window(awaiting: request) else { return [] }
        windows[id]!.request = nil
        windows[id]!.dueMilliseconds = later
        let text = windows[id]!.refuse(code.rawValue, problem, fix, as: id)
        return text.map { [.send($0)] } ?? []
    }

    private func window(awaiting request: UInt64) -> Int? {
        windows.first { $0.value.request == request }?.key
    }
}

extension Query {
    /// Rules see a read without parameters as one in the order of keys.
    fileprivate static let byKey = (try? Query().orderedByKey()) ?? Query()
}
