internal import DataTree
internal import SyncProtocol

// Answers of the replica to the requests of a session.

extension ConsoleSession {
    /// Processes the answers of one turn.
    mutating func process(
        _ answers: [SessionAnswer], at now: Moment, with authentication: borrowing Authentication
    ) -> [ConsoleEffect] {
        var effects: [ConsoleEffect] = []
        for answer in answers { effects += process(answer.message, at: now, with: authentication) }
        return effects
    }

    private mutating func process(
        _ message: NodeMessage, at now: Moment, with authentication: borrowing Authentication
    ) -> [ConsoleEffect] {
        switch message {
        case .value(let request, let value):
            show(value, answering: request, at: now, with: authentication)
        case .ok(let request): finish(request, "")
        case .ready(let request, _, _, _, let holds):
            beginEvents(after: holds, answering: request, at: now)
        case .error(let request, let code, let problem, let fix):
            refuse(request, code, problem, fix, at: now)
        default: []
        }
    }

    private mutating func beginEvents(
        after vector: VersionVector, answering request: UInt64, at now: Moment
    ) -> [ConsoleEffect] {
        guard events?.request == request else { return [] }
        events?.begin(after: vector, at: now.elapsedMilliseconds)
        return []
    }

    /// Answers a command that is done.
    private mutating func finish(_ request: UInt64, _ text: String) -> [ConsoleEffect] {
        guard let id = commands.removeValue(forKey: request) else { return [] }
        return [.send(ConsoleText.done(id, text))]
    }

    private mutating func show(
        _ value: Value, answering request: UInt64, at now: Moment,
        with authentication: borrowing Authentication
    ) -> [ConsoleEffect] {
        if request == statusRequest {
            statusRequest = nil
            statusDueMilliseconds = now.elapsedMilliseconds + ConsoleSession.statusMilliseconds
            return wantsStatus ? [.sendStatus(value)] : []
        }
        if let events, request == events.request {
            let text = self.events?.append(value, at: now.elapsedMilliseconds)
            return (text.map { [.send($0)] } ?? []) + refresh(at: now, with: authentication)
        }
        if let id = verdicts.removeValue(forKey: request) {
            return [.send(ConsoleText.verdict(id, RulesVerdict(value).reasons))]
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
        if let part = windows[id]!.partToRequest(of: value) {
            let request = nextRequest()
            windows[id]!.request = request
            let path = windows[id]!.place.path
            return [.ask([.get(id: request, path: path, query: part.query, skip: part.skip)])]
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
        if let events, request == events.request {
            return refuseEvents(events, code, problem, fix, at: later)
        }
        if let id = verdicts.removeValue(forKey: request) {
            return [.send(ConsoleText.refusal(of: id, code.rawValue, problem, fix))]
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

    /// A node that reads its log for others is asked again; other refusals end the events.
    private mutating func refuseEvents(
        _ events: ConsoleEvents, _ code: ErrorCode, _ problem: String, _ fix: String,
        at later: UInt64
    ) -> [ConsoleEffect] {
        guard code != .unavailable else {
            self.events?.request = nil
            self.events?.dueMilliseconds = later
            return []
        }
        self.events = nil
        return [.send(ConsoleText.refusal(of: events.id, code.rawValue, problem, fix))]
    }

    private func window(awaiting request: UInt64) -> Int? {
        windows.first { $0.value.request == request }?.key
    }
}
