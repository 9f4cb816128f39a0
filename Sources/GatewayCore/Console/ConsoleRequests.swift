internal import DataTree
internal import JSONText
internal import Rules
internal import SyncProtocol

// Requests of a page: its sign-in, windows, questions and commands.

extension ConsoleSession {
    /// Processes a message of the page.
    mutating func receive(
        _ text: [UInt8], by reader: JSONReader, at now: Moment,
        with authentication: inout Authentication
    ) -> [ConsoleEffect] {
        let message: ConsoleMessage
        do throws(ConsoleMessage.Failure) {
            message = try ConsoleMessage(text, by: reader)
        } catch {
            return [.close(SessionEnd(.unreadable, String(error.problem.prefix(100))))]
        }
        if case .hello(let token) = message { return greet(token, at: now, with: &authentication) }
        guard isGreeted else { return [] }
        switch message {
        case .hello: return []
        case .window(let id, let place): return open(id, place, at: now, with: authentication)
        case .close(let id):
            windows[id] = nil
            if events?.id == id { events = nil }
            return []
        case .status(let isWanted):
            wantsStatus = isWanted
            statusDueMilliseconds = now.elapsedMilliseconds
            return refresh(at: now, with: authentication)
        case .why(let id, let path):
            return ask(id) { session, request in
                session.questions[request] = LocationHistory(id: id, path: path)
                return .why(id: request, path: path, beyond: VersionVector())
            }
        case .events(let id, let path):
            events = ConsoleEvents(id: id, path: path, at: now.elapsedMilliseconds)
            return refresh(at: now, with: authentication)
        case .explain(let id, let statement, let source):
            return ask(id) { session, request in
                session.verdicts[request] = id
                return .explain(id: request, statement: statement, source: source)
            }
        case .backup(let id, let name):
            return backUp(id, name, with: authentication)
        case .evict(let id, let member):
            return ask(id) { session, request in
                session.commands[request] = id
                return .evict(id: request, member: member)
            }
        }
    }

    private mutating func greet(
        _ token: String?, at now: Moment, with authentication: inout Authentication
    ) -> [ConsoleEffect] {
        guard let token, !authentication.isOpen else {
            return become(authentication.reader(authentication.initial), with: authentication)
        }
        do throws(CredentialFailure) {
            let shown = try authentication.identity(of: token, at: now)
            return become(shown, with: authentication)
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

    private mutating func become(
        _ next: Identity, with authentication: borrowing Authentication
    ) -> [ConsoleEffect] {
        identity = next
        isGreeted = true
        // Answers to requests of the earlier client are ignored.
        windows = [:]
        (questions, verdicts, commands, events) = ([:], [:], [:], nil)
        (wantsStatus, statusRequest) = (false, nil)
        let user =
            switch next.principal {
            case .administrator: "\"administrator\""
            case .monitor: "\"monitor\""
            case .user(let auth), .override(let auth): auth.json
            }
        // Only clients with a credential receive names and addresses.
        let ready = ConsoleText.ready(
            next.principal == .anonymous ? nil : console, user: user, isOpen: authentication.isOpen,
            hasTokens: authentication.hasTokens,
            isEmulator: isEmulator)
        return [.identify(next.principal), .send(ready)]
    }

    mutating func expireIdentity(
        with authentication: borrowing Authentication
    ) -> [ConsoleEffect] {
        let denial = CredentialFailure.expired.refusal
        return become(authentication.reader(authentication.initial), with: authentication)
            + [.send(ConsoleText.denial(denial.problem, denial.fix ?? ""))]
    }

    /// Ends an identity by a token whose key is no longer trusted.
    mutating func reviewIdentity(
        at now: Moment, with authentication: borrowing Authentication
    ) -> [ConsoleEffect] {
        authentication.review(&identity, at: now)
        guard identity.hasEnded(at: now.elapsedMilliseconds) else { return [] }
        return expireIdentity(with: authentication)
    }

    private mutating func open(
        _ id: Int, _ place: ConsoleWindow.Place, at now: Moment,
        with authentication: borrowing Authentication
    ) -> [ConsoleEffect] {
        guard windows[id] != nil || windows.count < ConsoleSession.windowLimit else {
            let refusal = ConsoleText.refusal(
                of: id, "too_big", "\(ConsoleSession.windowLimit) locations are open",
                "close one before you open another")
            return [.send(refusal)]
        }
        guard authentication.admits(identity.principal, to: database) else {
            let denial = RestFailure.permissionDenied
            let refusal = ConsoleText.refusal(
                of: id, ErrorCode.permissionDenied.rawValue, denial.problem, denial.fix ?? "")
            return [.send(refusal)]
        }
        windows[id, default: ConsoleWindow(place)].move(to: place)
        // An answer that is on its way is for the place before.
        windows[id]!.request = nil
        windows[id]!.dueMilliseconds = now.elapsedMilliseconds
        return refresh(at: now, with: authentication)
    }

    private mutating func backUp(
        _ id: Int, _ name: String, with authentication: borrowing Authentication
    ) -> [ConsoleEffect] {
        let failure: RestFailure?
        if !authentication.mayRead(.status, as: identity.principal) {
            failure = .permissionDenied
        } else if !BackupName.isValid(name) {
            failure = .invalid("This cannot name a backup.", fix: BackupName.fix)
        } else if backup != nil {
            failure = .invalid(
                "A backup of this page is under way.", fix: "wait until it is complete")
        } else {
            failure = nil
        }
        guard let failure else {
            backup = id
            return [.backUp(NodeBackup(fileName: name))]
        }
        let code = failure.status == 400 ? ErrorCode.invalid : .permissionDenied
        return [
            .send(ConsoleText.refusal(of: id, code.rawValue, failure.problem, failure.fix ?? ""))
        ]
    }

    /// Answers the request of a backup.
    mutating func finishBackup(_ event: BackupEvent) -> [ConsoleEffect] {
        guard let id = backup else { return [] }
        switch event {
        case .piece: return []
        case .complete(let path):
            backup = nil
            return [.send(ConsoleText.done(id, path ?? ""))]
        case .failed(let problem, let fix):
            backup = nil
            let code = ErrorCode.unavailable.rawValue
            return [.send(ConsoleText.refusal(of: id, code, problem, fix))]
        }
    }

    /// Asks a question of the page, unless too many wait.
    private mutating func ask(
        _ id: Int, _ message: (inout ConsoleSession, UInt64) -> ClientMessage
    ) -> [ConsoleEffect] {
        guard questions.count + verdicts.count + commands.count < ConsoleSession.questionLimit
        else {
            let refusal = ConsoleText.refusal(
                of: id, ErrorCode.tooBig.rawValue,
                "\(ConsoleSession.questionLimit) requests wait for answers", "wait for one of them")
            return [.send(refusal)]
        }
        let request = nextRequest()
        return [.ask([message(&self, request)])]
    }
}
