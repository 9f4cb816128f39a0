import ReplicaCore
import SyncProtocol

/// The sessions of a client, as its frames show them.
struct ObservedSession {
    /// A client gives up what it has seen only after it has searched this long for a node that holds that.
    var patience: Microseconds = .seconds(10)
    /// Counts how often the client gave up what it had seen.
    private(set) var number = 0
    /// The operations that nodes have shown in this session.
    private var shown = VersionVector()
    private var lookingSince: Microseconds?

    /// Another process has seen nothing.
    mutating func begin() {
        number += 1
        (shown, lookingSince) = (VersionVector(), nil)
    }

    /// The client tells a node what it has seen; returns what is wrong with that.
    mutating func greet(seen: VersionVector, at now: Microseconds) -> String? {
        let since = lookingSince ?? now
        lookingSince = since
        if seen.covers(shown) { return nil }
        guard seen.entries.isEmpty, now - since >= patience else {
            return
                "was shown \(shown.line), and says at \(now.description) that it has seen \(seen.line)"
        }
        number += 1
        shown = VersionVector()
        return nil
    }

    mutating func receive(_ message: NodeMessage) {
        switch message {
        case .ready(_, _, _, _, let holds):
            lookingSince = nil
            shown.raise(to: holds)
        case .seen(_, let holds): shown.raise(to: holds)
        default: break
        }
    }
}
