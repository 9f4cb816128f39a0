import Store

/// A step of a store at which an end of the process is of interest.
enum DiskStep: String, CaseIterable {
    /// Turns are reported as stored.
    case stored
    /// They include a vote for a coordinator.
    case voted
    /// They include the loss of the disk, or the recovery of a part of it.
    case loss
    /// A slice of a checkpoint is written, and more follow.
    case slice
    case checkpointed
    /// A slice of a truncation is done.
    case truncated
    /// A peer is given rows of the checkpoint.
    case given
    /// Rows of a peer's checkpoint are stored beside the node's own.
    case received
    /// Batches are kept as orphans.
    case kept
    case installed
}

extension DiskStep {
    /// The step at which turns are reported as stored.
    init(_ turns: [Turn]) {
        let names = Set(turns.lazy.flatMap(\.properties).map(\.name))
        self = names.contains(.diskLoss) ? .loss : names.contains(.vote) ? .voted : .stored
    }

    /// The step that ends a request, or a part of it.
    init?(_ request: StoreRequest, _ progress: StoreProgress) {
        switch (request, progress) {
        case (.continueCheckpoint, .unfinished): self = .slice
        case (.continueCheckpoint, .replied): self = .checkpointed
        case (.truncate, _): self = .truncated
        case (.readRows, _): self = .given
        case (.receive, _): self = .received
        case (.keepOrphans, _): self = .kept
        case (.install, _): self = .installed
        default: return nil
        }
    }
}

/// The end of a process at a step of its disk.
struct Interruption {
    var step: DiskStep
    /// How often the process goes on after this step before that.
    var skipped: Int

    /// Counts a step; true if the process ends here.
    mutating func ends(at step: DiskStep?) -> Bool {
        guard step == self.step else { return false }
        skipped -= 1
        return skipped < 0
    }
}
