package import SyncProtocol

extension FrameError {
    /// The error for damage in a checkpoint.
    package static func ofCheckpoint(_ failure: String, at offset: Int) -> FrameError {
        FrameError(
            offset: offset, problem: "a checkpoint is damaged: \(failure)",
            fix: "take the database away; the node gets its data from its peers")
    }
}
