internal import JSONText

/// The texts of what the replica told in this turn: each is made once, however many clients get it.
struct GatewayTexts {
    /// For which kind of client a text is.
    enum Form: Hashable {
        case eventStream(JSONWriter.Form)
    }

    private struct Name: Hashable {
        let notice: UInt64
        let form: Form
    }

    private var texts: [Name: [UInt8]] = [:]

    /// The text of a notice; one without a number is made each time.
    mutating func text(_ notice: UInt64, _ form: Form, make: () -> [UInt8]) -> [UInt8] {
        if notice == 0 { return make() }
        let name = Name(notice: notice, form: form)
        if let text = texts[name] { return text }
        let text = make()
        texts[name] = text
        return text
    }

    /// Forgets all texts, at the end of a turn.
    mutating func removeAll() {
        if !texts.isEmpty { texts.removeAll(keepingCapacity: true) }
    }
}
