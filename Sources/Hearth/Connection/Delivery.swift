internal import Dispatch

/// Calls the blocks of an application one after the other, in order. A block runs on the actor of
/// its code, or on a queue if it has none.
///
/// So a block written in main-actor code runs on the main actor, whatever the queue is.
final class Delivery: Sendable {
    private typealias Call = @Sendable () async -> Void

    private let calls: AsyncStream<Call>.Continuation
    private let executor = QueueExecutor(.main)
    private let callbacks: Callbacks

    /// - Parameter callbacks: Counts the calls that wait.
    init(counting callbacks: Callbacks) {
        self.callbacks = callbacks
        let (stream, continuation) = AsyncStream.makeStream(of: Call.self)
        calls = continuation
        Task.detached(executorPreference: executor) {
            for await call in stream { await call() }
        }
    }

    deinit { calls.finish() }

    /// The queue for blocks outside actors; the main queue by default.
    var queue: DispatchQueue {
        get { executor.queue }
        set { executor.queue = newValue }
    }

    /// Calls a block once those before it have returned.
    func call(_ block: @escaping @Sendable () async -> Void) {
        callbacks.addWaiting(1)
        calls.yield { [callbacks] in
            await block()
            callbacks.removeWaiting(1)
        }
    }
}

/// Carries a block of the application to where it is called.
///
/// `@unchecked` because the block is called on its own actor, or, if it has none, on the one queue that
/// the application has chosen; nothing else touches it. Firebase's blocks are no more sendable.
struct Carried<Block>: @unchecked Sendable {
    let block: Block

    init(_ block: Block) { self.block = block }
}
