/// A kind of connection.
enum ConnectionKind: String, CaseIterable {
    case http
    case eventStream = "event_stream"
    case longPoll = "long_poll"
    case realtime, native, console
}
