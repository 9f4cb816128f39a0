import ReplicaCore

/// The connections between the nodes of a run with several databases.
///
/// Frames of one kind arrive in their order. A published frame may overtake a request, as on sockets of their own.
struct DatabasesNetwork {
    private struct Flight {
        let input: Input
        let receiver: Int
        let dueMilliseconds: UInt64
    }

    private let count: Int
    private var flights: [Flight] = []
    private var lastDue: [UInt64]
    /// Until when no frame passes from one node to another.
    private var cutUntil: [UInt64]
    private var lossPercent = 0
    private var lossUntilMilliseconds: UInt64 = 0
    private var random: SplitMix64
    private(set) var isCalm = true
    private(set) var sentCount: UInt64 = 0
    private(set) var droppedCount: UInt64 = 0
    private(set) var hash = TraceHash()

    init(nodes count: Int, seed: UInt64) {
        self.count = count
        random = SplitMix64(seed: seed, part: 91)
        lastDue = Array(repeating: 0, count: 2 * count * count)
        cutUntil = Array(repeating: 0, count: count * count)
    }

    mutating func isolate(_ node: Int, until milliseconds: UInt64) {
        for other in 0..<count where other != node {
            cut(from: node, to: other, until: milliseconds)
            cut(from: other, to: node, until: milliseconds)
        }
    }

    mutating func cut(from sender: Int, to receiver: Int, until milliseconds: UInt64) {
        cutUntil[sender * count + receiver] = milliseconds
        isCalm = false
    }

    mutating func lose(percent: Int, until milliseconds: UInt64) {
        (lossPercent, lossUntilMilliseconds, isCalm) = (percent, milliseconds, false)
    }

    /// Ends the faults that end by this time.
    mutating func heal(at milliseconds: UInt64) {
        if isCalm { return }
        if milliseconds >= lossUntilMilliseconds { lossPercent = 0 }
        for link in cutUntil.indices where milliseconds >= cutUntil[link] { cutUntil[link] = 0 }
        isCalm = lossPercent == 0 && cutUntil.allSatisfy { $0 == 0 }
    }

    mutating func send(
        _ input: Input, from sender: Int, to receiver: Int, at milliseconds: UInt64
    ) {
        sentCount += 1
        let link = sender * count + receiver
        guard cutUntil[link] == 0, lossPercent == 0 || random.index(below: 100) >= lossPercent
        else {
            droppedCount += 1
            return
        }
        let channel = input.isPublished ? link : count * count + link
        let due = max(lastDue[channel], milliseconds + random.number(below: 30))
        lastDue[channel] = due
        hash.combine(due << 8 | UInt64(channel))
        flights.append(Flight(input: input, receiver: receiver, dueMilliseconds: due))
    }

    /// Removes and returns the frames that have arrived at a node.
    mutating func removeArrivals(at receiver: Int, _ milliseconds: UInt64) -> [Input] {
        var arrived: [Input] = []
        flights.removeAll { flight in
            guard flight.receiver == receiver, flight.dueMilliseconds <= milliseconds else {
                return false
            }
            arrived.append(flight.input)
            return true
        }
        return arrived
    }
}

extension Input {
    fileprivate var isPublished: Bool { if case .published = self { true } else { false } }
}
