/// What a scenario does to the cluster. Nodes and clients are counted from 0.
enum Fault: Equatable, Sendable {
    // MARK: Processes

    /// The power goes: what is not synced is lost.
    case crash(Int)
    /// The process ends without a word, and the machine goes on: what it has written survives.
    case kill(Int)
    case restart(Int)
    /// A clean stop, as at SIGTERM.
    case stop(Int)
    /// The process stands still, and its connections stay.
    case pause(Int)
    case resume(Int)
    /// The machine stands still, and its monotonic clock with it; the wall clock goes on.
    case sleep(Int)
    case wake(Int)
    /// A node's turns take so much longer; as usual if nil.
    case slowDown(Int, by: TimeRange?)
    /// A node has no file handle left for a new connection; those that there are live.
    case exhaustHandles(Int)
    case freeHandles(Int)

    /// A node is asked to have another one out of the cluster.
    case evict(Int, by: Int)
    /// Keeps a copy of what is durable.
    case backUp(Int)
    /// The process ends, and another one starts on the copy that was kept, or on nothing.
    case restore(Int)
    case wipe(Int)
    /// The process ends, its disk is gone, and nobody ever starts it again.
    case abandon(Int)
    /// The nodes that make up the cluster from now on, ascending: all are stopped, and these are started
    /// with the new list.
    case members([Int])
    /// The process ends, and another one starts where a stored row is not what was written.
    case rot(Int)
    /// A batch of a node's log is not what was written any more, and the process goes on.
    case spoil(Int)
    /// What was written last is where something else was, and the process goes on.
    case misdirect(Int)
    /// Another process starts under the name of a node, somewhere else.
    case duplicateNode(Int)

    // MARK: Network

    /// Members of different groups cannot reach each other.
    case partition([[Endpoint]])
    /// Nothing gets from one to the other; the way back stays open.
    case cut(from: Endpoint, to: Endpoint)
    /// Each node reaches the two beside it alone, so that each sees a majority and no two the same.
    case ring
    /// Frames from one node to another wait, as many as the queue takes, until it heals.
    case clog(from: Int, to: Int)
    case unclog(from: Int, to: Int)
    /// The second has forgotten the connection that the first had made to it.
    case halfOpen(from: Int, to: Int)
    /// The first has forgotten that the second wants publications of a kind, until they connect again.
    case lose(Topic, from: Int, to: Int)
    /// A direction is cut and healed again and again.
    case flap(from: Int, to: Int)
    /// The connections between two nodes break, with all that is queued, and are made again.
    case disconnect(Int, Int)
    /// A direction becomes as bad as this.
    case degrade(from: Int, to: Int, LinkQuality)
    /// Every fault of the network ends.
    case heal

    // MARK: Machines

    /// A node's clock jumps.
    case step(Int, milliseconds: Int64)
    /// A node's clock does something other than to run.
    case clock(Int, VirtualClock.Mode)
    /// A node's disk does something other than to work.
    case disk(Int, VirtualDisk.Trouble?)
}

/// What nodes publish.
enum Topic: String, CaseIterable, Sendable {
    case batches, heartbeats
}

/// An end of a connection.
enum Endpoint: Equatable, Sendable {
    case node(Int)
    case client(Int)
}

/// How one direction of the connection between two nodes treats frames.
struct LinkQuality: Equatable, Sendable {
    var delay = TimeRange(.milliseconds(1), .milliseconds(10))
    /// The chance that a frame takes two to a hundred times as long, but no longer than two seconds.
    var tail = Probability.zero
    /// Of published frames.
    var loss = Probability.zero
    var duplicate = Probability.zero
    var reorder = Probability.zero
    /// The chance that an old published frame comes once more after a new one.
    var replay = Probability.zero
    /// The chance that a few bits of a frame are turned.
    var corrupt = Probability.zero
    /// The chance that the end of a frame is missing.
    var truncate = Probability.zero
    /// Bytes a second; 0 for no limit.
    var bandwidth = 0
    /// Published frames on their way to one subscriber, beyond which more are dropped; 0 for no
    /// limit.
    var queue = 0
}

extension Fault {
    /// What a scenario can have drawn at random, by its name in the file.
    enum Kind: String, CaseIterable, Sendable {
        case crash, kill, stop, pause, wipe
        case partition, isolate, ring, clog, flap, disconnect, degrade
        case cut = "one-way"
        case slowDisk = "slow-disk"
        case readErrors = "read-errors"
        case step, leap, strobe, freeze
        case fullDisk = "full-disk"
        case failingDisk = "failing-disk"
        case lyingDisk = "lying-disk"
        case rot
        case duplicateNode = "duplicate-node"
        case spoiltLog = "spoilt-log"
        case evict
        case abandon, members
        case swizzle
        case halfOpen = "half-open"
        case topicLoss = "topic-loss"
        case slowCPU = "slow-cpu"
        case noHandles = "no-handles"
        case sway, sleep, restore
        case misdirected

        var isOfNetwork: Bool {
            switch self {
            case .partition, .isolate, .ring, .cut, .clog, .flap, .disconnect, .degrade, .swizzle,
                .halfOpen, .topicLoss:
                true
            default: false
            }
        }

        /// A node without peers could not start again on what is damaged; and who else would have to do
        /// with its duplicate node, or want it out?
        var takesPeers: Bool {
            [.rot, .spoiltLog, .misdirected, .duplicateNode, .evict].contains(self)
        }
    }
}
