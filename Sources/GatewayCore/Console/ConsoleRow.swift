internal import DataTree
internal import JSONText

/// A child as the console shows it: its key and a short summary of its value, never the value itself.
///
/// - Complexity: O(log n) for an object of n children, whatever these hold.
struct ConsoleRow {
    /// The most characters of a string.
    static let textLimit = 120

    /// The most fields of a child, for a table.
    static let fieldLimit = 20

    let key: Key
    let value: Value
    /// Whether the row has the fields of an object.
    var hasFields = false

    /// Whether this row shows the same child as an older one, and nothing below it has changed. Equal values may count as
    /// changed.
    func isSame(as old: ConsoleRow) -> Bool {
        key == old.key && value.isUnchanged(since: old.value)
    }

    /// The row: `[key, kind, text, count]`, then the priority if there is one, or null before an object with the texts of the first
    /// fields. The count is that of the children, or of the bytes of a string.
    var json: String {
        let (kind, text, count) = value.summary
        var json = "[\(quoted(key.text)),\"\(kind)\",\(text),\(count)"
        if hasFields || !value.priority.isNull { json += ",\(value.priority.summary.text)" }
        if hasFields { json += ",\(fields)" }
        return json + "]"
    }

    private var fields: String {
        let fields = value.children.lazy.prefix(ConsoleRow.fieldLimit)
            .map { quoted($0.key.text) + ":" + quoted($0.value.inPreview) }
        return "{\(fields.joined(separator: ","))}"
    }

    private func quoted(_ text: String) -> String { JSONWriter.text(of: .string(text)) }
}

extension Value {
    /// The kind of a value, its text as JSON, and how many children or bytes it has.
    fileprivate var summary: (kind: String, text: String, count: Int) {
        switch content {
        case .null: ("null", "null", 0)
        case .boolean: ("boolean", JSONWriter.text(of: content), 0)
        // As a string, since the numbers of JavaScript lose the last digits of large integers.
        case .integer, .double: ("number", "\"\(JSONWriter.text(of: content))\"", 0)
        case .string(let text):
            ("string", JSONWriter.text(of: .string(text.beginning)), text.utf8.count)
        case .object(let children):
            ("object", JSONWriter.text(of: .string(children.preview)), children.count)
        case .prioritized, .deferred: ("null", "null", 0)
        }
    }

    /// Whether nothing has changed since this value was another one: quickly, also for a large one.
    fileprivate func isUnchanged(since old: Value) -> Bool {
        guard priority == old.priority else { return false }
        switch (content, old.content) {
        case (.object(let new), .object(let old)):
            return new.isShared(with: old) || new.isSmall && old.isSmall && new == old
        case (.string(let new), .string(let old)):
            // Two strings with the same memory are equal at once.
            return new.utf8.count == old.utf8.count && new == old
        case (let new, let old): return new == old
        }
    }
}

extension Children {
    /// The first children in one line: `text: "hello", user: {…}`.
    fileprivate var preview: String {
        var text = ""
        var rest = makeIterator()
        while text.utf8.count < ConsoleRow.textLimit, let (key, value) = rest.next() {
            text += (text.isEmpty ? "" : ", ") + key.text + ": " + value.inPreview
        }
        return rest.next() == nil && text.utf8.count <= ConsoleRow.textLimit
            ? text : text.beginning + ", …"
    }

    /// Whether a comparison of all is cheap: after a change, the tree may store equal children in another form.
    fileprivate var isSmall: Bool { count <= 16 && !contains { $0.value.hasChildren } }
}

extension Value {
    /// A primitive as JSON, of which a long string is cut; `{…}` for an object.
    fileprivate var inPreview: String {
        switch content {
        case .object: "{…}"
        case .string(let text): JSONWriter.text(of: .string(text.beginning))
        default: JSONWriter.text(of: content)
        }
    }
}

extension String {
    /// The first characters. They are counted as Unicode scalars, since one character can be as long as the string.
    fileprivate var beginning: String {
        guard utf8.count > ConsoleRow.textLimit else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(ConsoleRow.textLimit)))
    }
}
