package import JSONText
package import SyncProtocol

/// The texts of what the replica told in this turn: each is made once, however many sessions show it.
///
/// Answers of one database with one notice number carry equal writes, for listens at one location. Each database counts
/// its own notices. A gateway owns one of these, lends it to its sessions, and empties it at the end of each turn.
package struct GatewayTexts {
    /// For which kind of client a text is.
    package enum Form: Hashable {
        /// A message of Firebase's WebSocket protocol, but for its end.
        case realtime
        /// A server-sent event.
        case eventStream(JSONWriter.Form)
    }

    private struct Name: Hashable {
        let database: DatabaseName
        let notice: UInt64
        let form: Form
    }

    private var texts: [Name: [UInt8]] = [:]

    /// No texts.
    package init() {}

    /// The text of a notice; one without a number is made each time.
    package mutating func text(
        _ notice: UInt64, of database: DatabaseName, _ form: Form, make: () -> [UInt8]
    ) -> [UInt8] {
        if notice == 0 { return make() }
        let name = Name(database: database, notice: notice, form: form)
        if let text = texts[name] { return text }
        let text = make()
        texts[name] = text
        return text
    }

    /// Drops all texts, at the end of a turn.
    package mutating func removeAll() {
        if !texts.isEmpty { texts.removeAll(keepingCapacity: true) }
    }
}
