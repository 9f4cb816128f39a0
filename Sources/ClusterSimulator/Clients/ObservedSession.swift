import ReplicaCore
import SyncProtocol

/// The sessions of a client, as its frames show them.
///
struct ObservedSession {
    /// A client gives up what it has seen only after it has searched this long for a node that holds that.
    var patience: Microseconds = .seconds(10)
    /// Counts how often the client gave up what it had seen.
    private(set) var number = 0
    private var hasSeen = false
    private var lookingSince: Microseconds?

    /// Another process has seen nothing.
    mutating func begin() {
        number += 1
        (hasSeen, lookingSince) = (false, nil)
    }

    mutating func greet(seen: VersionVector, at now: Microseconds) {
        let since = lookingSince ?? now
        lookingSince = since
        guard hasSeen, seen.entries.isEmpty, now - since >= patience else {
            return
        }
        number += 1
        hasSeen = false
    }

    mutating func take(_ message: NodeMessage) {
        switch message {
        case .ready(_, _, _, _, let holds):
            lookingSince = nil
            hasSeen = hasSeen || !holds.entries.isEmpty
        case .seen(_, let holds): hasSeen = hasSeen || !holds.entries.isEmpty
        default: break
        }
    }
}
