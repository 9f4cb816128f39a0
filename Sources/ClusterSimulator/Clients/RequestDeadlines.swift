import ClientCore
import ReplicaCore
import SyncProtocol

// The patience of a dense program: each request has an outcome when that is over, and mostly not before.

struct RequestDeadline {
    var time: Microseconds
    /// Whether the request may end before, once every node has been tried in vain.
    var isBrief: Bool
}

extension SDKClient {
    /// A timer rings so late at most.
    private static let lateness: Microseconds = .milliseconds(120)

    /// How long a request may take; without a limit mostly.
    mutating func drawPatience(for work: Request.Work) -> Request.Patience {
        if case .awaitStable(let milliseconds) = work {
            return .limited(milliseconds: milliseconds + 1_500)
        }
        return switch random.index(below: 6) {
        case 0: .limited(milliseconds: 20 + random.number(below: 300))
        case 1: .limited(milliseconds: 300 + random.number(below: 3_000))
        case 2: .brief(milliseconds: 50 + random.number(below: 2_000))
        default: .endless
        }
    }

    /// The next request has an outcome after its patience.
    mutating func limit(_ patience: Request.Patience, at now: Microseconds) {
        let (milliseconds, isBrief): (UInt64, Bool)
        switch patience {
        case .endless: return
        case .limited(let most), .searching(let most): (milliseconds, isBrief) = (most, false)
        case .brief(let most): (milliseconds, isBrief) = (most, true)
        }
        deadlines[nextRequestNumber] = RequestDeadline(
            time: now + .milliseconds(milliseconds), isBrief: isBrief)
    }

    /// Transactions that no node can have got have an outcome once their program has overwritten what they rest on.
    mutating func judgeOverwritten(
        _ overwritten: [UInt64], by request: UInt64, at now: Microseconds
    ) {
        // A write that the library refuses at once overwrites nothing.
        guard open[request] != nil else { return }
        for transaction in overwritten {
            tally.count(.requestsEndInTime)
            if open[transaction] == nil { continue }
            tally.report(
                .requestsEndInTime,
                "waits for its transaction \(transaction), which no node has got and which it has overwritten at "
                    + "\(now.description)")
        }
    }

    /// A request has an outcome.
    mutating func judgeDeadline(
        of request: UInt64, _ result: Result<Answer, HearthError>, among nodes: Int,
        at now: Microseconds
    ) {
        guard let deadline = deadlines.removeValue(forKey: request) else { return }
        tally.count(.requestsEndInTime)
        let text = deadline.time.description
        if now > deadline.time + SDKClient.lateness {
            tally.report(
                .requestsEndInTime,
                "waited for its request \(request) until \(now.description), and would wait until \(text) at most"
            )
        }
        guard case .failure(let error) = result, error.code == .unreachable,
            now + .milliseconds(1) < deadline.time, !deadline.isBrief || tried.count < nodes
        else { return }
        tally.report(
            .requestsEndInTime,
            "gave up its request \(request) at \(now.description), and would wait until \(text), having tried "
                + "\(tried.count) of \(nodes) nodes since one served it")
    }
}
