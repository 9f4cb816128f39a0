/// Hears, on the connection's own thread, what goes to the nodes: by the numbers in the frames a soak
/// finds the requests of its clients among what the nodes have recorded.
package struct ConnectionTap: Sendable {
    /// The connection to a node ends, if there is one, and another one begins.
    package let connects: @Sendable () -> Void
    /// A frame is about to be sent.
    package let sends: @Sendable ([UInt8]) -> Void

    package init(
        connects: @escaping @Sendable () -> Void, sends: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.connects = connects
        self.sends = sends
    }
}
