/// A node's end of a connection to its HTTP port, as the driver of a real node keeps it.
struct PortEnd {
    /// The gateway knows the connection.
    var isOpen = false
    /// The gateway has closed it: what still arrives is dropped.
    var isClosing = false
    /// The gateway has been told that it is gone.
    var isClosed = false
    /// What waits for the client to read it.
    var waiting: [UInt8] = []
    /// The core was told that much waits.
    var isBackpressured = false
    /// The core is to be told once all is sent.
    var awaitsRoom = false
}
