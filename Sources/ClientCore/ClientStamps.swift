import DataTree
import Marks
import SyncProtocol

// Stamps, by which a write that is sent to several nodes is done once, and the refusals of stamps. Source: `hello`
// and `stamp` in the protocol's page.

/// The state of a client's session with its node, as far as stamps are concerned.
enum Stamping: Sendable {
    /// Before the hello.
    case silent
    /// Waits for the answer to its hello.
    case greeting(wireID: UInt64, elapsedMilliseconds: UInt64, wallMilliseconds: UInt64)
    case open
    /// A stamp was refused, and so are all later ones; waits for their answers.
    case halted
    /// Says hello again at this moment.
    case resting(until: UInt64)
}

extension Client {
    /// Whether requests may be sent.
    var maySend: Bool {
        if case .open = stamping { link.isOpen } else { false }
    }

    /// Tells the node what this client has seen elsewhere.
    mutating func greet() {
        let wireID = nextWireID()
        stamping = .greeting(
            wireID: wireID, elapsedMilliseconds: now, wallMilliseconds: wallMilliseconds)
        append(.hello(id: wireID, seen: seen))
    }

    /// Gives a write its stamp, if it has none, and the time of its server timestamps.
    ///
    /// A write that gets another stamp gets another time: its node's clock may have been another one before, or the write
    /// be older than nodes let rules see.
    ///
    /// The stamp of a transaction is its name: nodes do it once under this name, after all that they hold.
    mutating func stamp(_ pending: inout Requests.Pending) {
        guard pending.stamp == nil, pending.request.work.isWrite else { return }
        if case .transact = pending.request.work {
            pending.stamp = clock.next(at: now)
            return
        }
        let work = pending.request.work
        if work.isRepeatable {
            pending.stamp = clock.next(at: now)
            pending.now = work.containsTimestamp ? clock.reachedMilliseconds(at: now) : nil
            if let record = pending.record {
                persistence.keep(work, pending.stamp, now: pending.now, as: record)
            }
        } else if let record = pending.record {
            // A write that each node would resolve differently is sent once at most, even by later processes.
            persistence.end(record)
        }
    }

    /// The node holds all that this client has seen.
    mutating func begin(
        _ wireID: UInt64, at wall: UInt64, _ time: HybridTime, holding: VersionVector
    ) {
        guard case .greeting(wireID, let asked, let askedWall) = stamping else { return }
        stamping = .open
        behindSince = nil
        refusal = nil
        // A node tells a user what it holds only once the rules have permitted something.
        if !holding.entries.isEmpty { seen = holding }
        follow(time, wall)
        guard !link.isOpen else { return }
        link.open(at: now)
        outputs.append(.connected(link.node))
        // The node read its clock about half-way between request and answer, unless it waited.
        let isPrompt = now - asked <= 500
        let middle = (Int64(isPrompt ? askedWall : wallMilliseconds) + Int64(wallMilliseconds)) / 2
        apply(information.setOffset(milliseconds: Int64(clamping: wall) - middle))
        apply(information.setConnected(true))
    }

    /// Stamps by the node's clock from here on.
    ///
    /// A clock that this client followed before may have been wrong, by an hour say. This node holds all operations that the
    /// client has seen, so that new ones win over these anyway; it would refuse stamps of that clock for as long.
    private mutating func follow(_ time: HybridTime, _ wall: UInt64) {
        clock.follow(wallMilliseconds: wall, at: now)
        if clock.isTooFarAhead(of: time), !requests.holdStamps {
            sometimes(.clockStartsOver)
            clock.startOver(after: time)
        }
        clock.observe(time)
    }

    /// The node does not hold what this client has seen; another one may. After a while the client begins a new
    /// session without it, because it may be lost.
    mutating func noteBehind(_ error: HearthError) {
        sometimes(.nodeIsBehind)
        let since = behindSince ?? now
        behindSince = since
        if now - since >= configuration.sessionMilliseconds {
            seen = VersionVector()
            behindSince = nil
            sometimes(.sessionIsGivenUp)
        }
        refusal = error
        loseConnection()
    }

    /// The node did not do a write because of its stamp.
    mutating func takeBack(_ wireID: UInt64, _ error: HearthError, isDecided: Bool) {
        guard requests.setAside(wireID, isDecided: isDecided, at: now) else { return }
        stampFailure = error
        stamping = .halted
    }

    /// Goes on once all writes in flight are answered.
    mutating func continueStamping() {
        switch stamping {
        case .halted where requests.areWritesAnswered:
            let isUndecided = requests.isUndecided
            let limit = configuration.outcomeMilliseconds
            let moment = now >= limit ? now - limit : nil
            for pending in requests.putBack(undecidedBefore: moment) {
                let problem = stampFailure?.problem ?? ""
                fail(pending, .undecided(problem, after: limit))
            }
            stamping = .resting(until: isUndecided ? now + configuration.inquiryMilliseconds : now)
            continueStamping()
        case .resting(let end) where now >= end: greet()
        default: break
        }
    }
}
