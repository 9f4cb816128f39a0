/// The texts of changes that many sessions show: each is made once in each form.
///
/// Answers of a replica with one notice number carry equal writes for listens at one location. A gateway owns one
/// of these, lends it to its sessions, and empties it at the end of each turn.
package struct GatewayTexts: Sendable {
    /// In which form a text is.
    package enum Form: Int, Sendable {
        /// A message of Firebase's WebSocket protocol, but for its end.
        case realtime
        /// A server-sent event.
        case eventStream
    }

    private struct Name: Hashable {
        let notice: UInt64
        let form: Form
    }

    private var texts: [Name: [UInt8]] = [:]

    /// No texts.
    package init() {}

    /// The text of a notice in a form, made if there is none yet; that of the number 0 is never kept.
    package mutating func text(
        _ notice: UInt64, _ form: Form, make: () -> [UInt8]
    ) -> [UInt8] {
        if notice == 0 { return make() }
        let name = Name(notice: notice, form: form)
        if let text = texts[name] { return text }
        let text = make()
        texts[name] = text
        return text
    }

    /// Drops all texts, at the end of a turn.
    package mutating func removeAll() { texts.removeAll(keepingCapacity: true) }
}
