internal import CLibrary

/// The port of a TCP endpoint as it is written, `*` included; nil for other transports.
func port(of endpoint: String) -> Substring? {
    endpoint.hasPrefix("tcp://") ? endpoint.split(separator: ":").last : nil
}

/// Refuses a port above 65535, of which ZeroMQ would take the low 16 bits without a word.
func checkPort(of endpoint: String, for action: String) throws(ZeroMQError) {
    guard let port = port(of: endpoint), let number = Int(port), number > 65535 else { return }
    throw ZeroMQError(trying: action, endpoint, number: EINVAL)
}
