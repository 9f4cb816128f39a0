import GatewayCore
import JSONText
import ReplicaCore
import Store
import SyncProtocol

/// The facts of a run that the checks evaluate once it is over.
struct RunRecord {
    /// The requests of clients, and their outcomes.
    var history = History()
    /// The turns of nodes.
    var recording: Recording
    /// Every batch that was written to any disk.
    var archive = BatchArchive()
    /// The ends of processes that may have left unsynced data.
    var crashes: [UnsyncedEnd] = []
    /// The losses of disks.
    var losses: [Loss] = []
    /// Second processes under the names of nodes.
    var duplicateNodes: [DuplicateNode] = []
    /// The starts of nodes beside others that all served.
    var starts: [ServiceStart] = []
    /// The periods in which nodes could accept no writes.
    var refusals: [Refusal] = []
    /// The copies of databases that an operator requested.
    var copies: [CopyRequest] = []
    /// The on-disconnect writes that were due at the ends of sessions, and those that were executed.
    var sessionEnds: [SessionEnd] = []
    /// The outputs of nodes in the last event; nil without a reader.
    var performed: [(node: Int, output: Output)]?
    /// Counts of events, frames and faults.
    var statistics = SimulationStatistics()
    /// The nodes and clients behind writers.
    var names = WriterNames()

    init(recording: Recording) { self.recording = recording }
}

/// The programs of a run besides its nodes, and what they share.
struct Population {
    /// The timers of clients that have some, by their numbers.
    var timers: [TurnTimer]
    /// The requests that clients draw.
    var workload: Workload
    let reader = RealtimeSession.makeReader()
    var hostileSessions: [HostileSession] = []

    init(timers: [TurnTimer], workload: Workload) {
        (self.timers, self.workload) = (timers, workload)
    }
}

/// The generators for purposes that belong to no node, client or network.
struct RunDraws {
    /// Draws where bytes are cut into pieces.
    var cuts: SplitMix64
    /// Draws rules.
    var rules: SplitMix64
    /// Draws which keys of issuers nodes trust.
    var keys: SplitMix64

    init(seed: UInt64) {
        cuts = SplitMix64(seed: seed, part: 7)
        rules = SplitMix64(seed: seed, part: 10)
        keys = SplitMix64(seed: seed, part: 12)
    }
}
