internal import CRuntime

/// The state of a node for the service manager that started it, such as systemd (`Type=notify`).
///
/// The manager shows the text. It considers the node started once it serves.
enum ServiceState: String {
    case waiting = "STATUS=Waiting for contact with the other nodes"
    case serving = "READY=1\nSTATUS=Serving clients"
    case stopping = "STOPPING=1\nSTATUS=Stopping"

    /// Sends the state; does nothing if no manager asked for it.
    func report() { _ = hearth_notify_service_manager(rawValue) }
}
