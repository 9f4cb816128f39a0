/// The connections to the ports for peers. Those that have not shown a key are bounded: the oldest of them are cut, so that
/// peers can connect however many strangers do.
struct PeerConnections {
    /// How many connections may be there before they have shown a key.
    static let unknownLimit = 256
    /// How many connections there may be.
    static let limit = 1_024

    private struct Connection {
        let serial: UInt64
        var isKnown = false
    }

    private var connections: [Int32: Connection] = [:]
    /// In the order of their arrival, with some that have ended.
    private var arrivals: ArraySlice<(descriptor: Int32, serial: UInt64)> = []
    private var serial: UInt64 = 0
    private var unknownCount = 0

    var count: Int { connections.count }

    /// Adds a connection.
    ///
    /// - Parameter isKnown: Whether a connection has shown a key.
    /// - Returns: The connections to cut.
    mutating func accept(_ descriptor: Int32, where isKnown: (Int32) -> Bool) -> [Int32] {
        end(descriptor)
        guard connections.count < Self.limit else { return [descriptor] }
        serial += 1
        connections[descriptor] = Connection(serial: serial)
        arrivals.append((descriptor, serial))
        unknownCount += 1
        return removeExcess(where: isKnown)
    }

    /// Removes a connection that has ended.
    mutating func end(_ descriptor: Int32) {
        guard let connection = connections.removeValue(forKey: descriptor) else { return }
        if !connection.isKnown { unknownCount -= 1 }
    }

    private mutating func removeExcess(where isKnown: (Int32) -> Bool) -> [Int32] {
        var excess: [Int32] = []
        while unknownCount > Self.unknownLimit, let (descriptor, serial) = arrivals.popFirst() {
            guard connections[descriptor]?.serial == serial else { continue }
            if isKnown(descriptor) {
                connections[descriptor]?.isKnown = true
                unknownCount -= 1
            } else {
                end(descriptor)
                excess.append(descriptor)
            }
        }
        return excess
    }
}
