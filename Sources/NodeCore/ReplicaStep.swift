package import DataTree
package import ReplicaCore
package import SyncProtocol

/// A step of a node's replica, with its data before and after it, for checks that observe each step.
package struct ReplicaStep {
    /// The data of a replica at one moment.
    package struct Data {
        package let tree: Value
        package let vector: VersionVector
    }

    package let input: Input
    package let before: Data
    package let after: Data
    /// The writer of the replica after the step.
    package let writer: WriterID
    /// Whether the replica was evicted, and rejoins.
    package let isOut: Bool
}

extension Replica {
    /// Steps the replica, and returns an observation of the step too.
    mutating func observeStep(_ input: Input) -> ([Output], ReplicaStep) {
        let before = shown()
        let outputs = step(input)
        let after = shown()
        let step = ReplicaStep(
            input: input, before: ReplicaStep.Data(tree: before.value, vector: before.vector),
            after: ReplicaStep.Data(tree: after.value, vector: after.vector), writer: writer,
            isOut: isOut)
        return (outputs, step)
    }
}

extension Input {
    /// The same input in parts with one request each.
    var parts: [Input] {
        guard case .requestedMessages(let messages, let session) = self, messages.count > 1 else {
            return [self]
        }
        return messages.map { .requestedMessages([$0], by: session) }
    }
}
