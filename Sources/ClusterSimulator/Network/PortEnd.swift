/// A node's end of a connection to its HTTP port, as the driver of a real node keeps it.
struct PortEnd {
    /// The gateway knows the connection.
    var isOpen = false
    /// The gateway has closed it: what still arrives is dropped.
    var isClosing = false
    /// The gateway has been told that it is gone.
    var isClosed = false
    /// The bytes that the client has not read yet.
    var waiting: [UInt8] = []
    /// The core has received the report of backpressure.
    var isBackpressured = false
    /// The core requests a report once all bytes are sent.
    var awaitsRoom = false
}
