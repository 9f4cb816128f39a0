/// What happened in a run, as clients and the fault schedule saw it.
///
/// The clients' operations are all kept: the scenario bounds their number. Of the other events the
/// latest are kept, and how many were left out is counted.
struct History {
    /// How many events are kept.
    static let eventLimit = 20_000

    struct Entry {
        var time: Microseconds
        var event: Event
    }

    enum Event {
        case invoked(operation: Int)
        case completed(operation: Int)
        case moved(client: Int, node: Int)
        case started(node: Int)
        case crashed(node: Int, lostTurns: Int)
        case stopped(node: Int)
        case paused(node: Int)
        case resumed(node: Int)
        case partitioned
        case healed
        case clockStepped(node: Int, milliseconds: Int64)
        case calm
    }

    /// A node said that it does not do what a client asked for; another one may.
    struct Refused {
        var operation: Int
        var node: Int
        var problem: String
        var time: Microseconds
    }

    var operations: [ClientOperation] = []
    var refusals: [Refused] = []
    private var ring: [Entry] = []
    private var oldest = 0
    private(set) var omitted = 0

    /// The events kept, in order.
    var events: [Entry] { Array(ring[oldest...] + ring[..<oldest]) }

    mutating func note(_ event: Event, at time: Microseconds) {
        let entry = Entry(time: time, event: event)
        if ring.count < History.eventLimit {
            ring.append(entry)
        } else {
            ring[oldest] = entry
            oldest = (oldest + 1) % History.eventLimit
            omitted += 1
        }
    }
}
