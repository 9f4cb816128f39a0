package import ClientCore

/// Observes, on the connection's own thread, the frames to nodes and which node serves.
///
/// A soak uses the numbers in the frames to find its clients' requests in the records of nodes. A
/// command shows its user for which node it waits.
package struct ConnectionTap: Sendable {
    /// The connection to a node ends, if there is one, and another one begins.
    package let connects: @Sendable () -> Void
    /// A frame is about to be sent.
    package let sends: @Sendable ([UInt8]) -> Void
    /// Another node serves, or no node does.
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

/// The node that serves a connection.
package enum NodeContact: Equatable, Sendable {
    /// No node; the next one is tried. With the reason of the last node that answered.
    case searching(refusal: HearthError?)
    /// The node at this address.
    case served(by: String)
}
