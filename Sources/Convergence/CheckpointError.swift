package import SyncProtocol

extension FrameError {
    /// Something in a checkpoint is damaged.
    package static func ofCheckpoint(_ failure: String, at offset: Int) -> FrameError {
        FrameError(
            offset: offset, problem: "a checkpoint is damaged: \(failure)",
            fix: "take the database away; the node gets its data from its peers")
    }
}
