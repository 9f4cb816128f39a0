/// Observes, on the connection's own thread, what goes to the nodes and which of them serves.
///
/// By the numbers in the frames a soak finds the requests of its clients among what the nodes have
/// recorded; a command tells its user which node it waits for.
package struct ConnectionTap: Sendable {
    /// The connection to a node ends, if there is one, and another one begins.
    package let connects: @Sendable () -> Void
    /// A frame is about to be sent.
    package let sends: @Sendable ([UInt8]) -> Void
    /// Another node serves, or none does.
    package let contact: @Sendable (NodeContact) -> Void

    package init(
        connects: @escaping @Sendable () -> Void = {},
        sends: @escaping @Sendable ([UInt8]) -> Void = { _ in },
        contact: @escaping @Sendable (NodeContact) -> Void = { _ in }
    ) {
        self.connects = connects
        self.sends = sends
        self.contact = contact
    }
}

/// Which node serves a connection.
package enum NodeContact: Equatable, Sendable {
    /// None does, and the next one is tried; with what the last one that answered gave as its reason.
    case searching(refusal: HearthError?)
    /// The node at this address does.
    case served(by: String)
}
