internal import ClientCore
internal import Threads

/// How a call ended, for the task that waits for it: by its answer or by the task's cancellation, whichever is
/// first; later ones are ignored.
final class Outcome<Success: Sendable>: Sendable {
    private typealias Waiting = CheckedContinuation<Result<Success, HearthError>, Never>

    private struct State: Sendable {
        var result: Result<Success, HearthError>?
        var waiting: Waiting?
    }

    private let state = Monitor(State())

    /// Ends the call, unless it has ended.
    func end(_ result: Result<Success, HearthError>) {
        let waiting = state.withLock { state -> Waiting? in
            guard state.result == nil else { return nil }
            state.result = result
            return state.waiting.take()
        }
        waiting?.resume(returning: result)
    }

    private func wait(_ continuation: Waiting) {
        let result = state.withLock { state in
            if state.result == nil { state.waiting = continuation }
            return state.result
        }
        if let result { continuation.resume(returning: result) }
    }

    /// Begins a call and waits for its end, or until the task is cancelled.
    ///
    /// A task that was cancelled before begins nothing.
    nonisolated(nonsending) static func of(
        _ call: Call, _ begin: (Outcome) throws(HearthError) -> Void
    ) async throws(HearthError) -> Success {
        if Task.isCancelled { throw call.notBegun }
        let outcome = Outcome()
        try begin(outcome)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { outcome.wait($0) }
        } onCancel: {
            outcome.end(.failure(call.cancelled))
        }
        return try result.get()
    }
}

/// The thing that a task waits for, as the error names it when the task is cancelled.
enum Call: Sendable {
    case read(String)
    case write(String)

    var cancelled: HearthError {
        switch self {
        case .read(let what):
            HearthError(
                .cancelled, "the task that waited for \(what) was cancelled",
                fix: "ask again, if the answer is wanted")
        case .write(let what):
            HearthError(
                .cancelled, "the task that waited for \(what) was cancelled; it may still happen",
                fix: "read the place to see whether it did, or take back all writes that are not "
                    + "answered with purgeOutstandingWrites()", effect: .unknown)
        }
    }

    var notBegun: HearthError {
        switch self {
        case .read(let what), .write(let what):
            HearthError(
                .cancelled, "the task was cancelled before \(what) began",
                fix: "ask in another task")
        }
    }
}
