/// Hands values from any thread to a handler that runs on the loop's thread, in order.
///
/// The handler may touch what belongs to that thread; only the values cross, so only they must be
/// `Sendable`. Made by `Loop.mailbox(handler:)`.
public struct Mailbox<Message: Sendable>: Sendable {
    private let loop: Loop
    private let handler: Handler<Message>

    init(on loop: Loop, handler: @escaping (Message) -> Void) {
        self.loop = loop
        self.handler = Handler(handler)
    }

    /// Gives the loop one more value to handle, from any thread.
    public func post(_ message: Message) {
        loop.post { [handler] in handler.handle(message) }
    }
}

/// `@unchecked` because the closure is made and called on the loop's thread only: other threads pass
/// the reference along.
private final class Handler<Message>: @unchecked Sendable {
    let handle: (Message) -> Void

    init(_ handle: @escaping (Message) -> Void) {
        self.handle = handle
    }
}
