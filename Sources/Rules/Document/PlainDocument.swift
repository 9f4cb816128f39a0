internal import JSONText

extension Ruleset {
    /// A document as plain JSON: without comments and superfluous commas, on one line; nil for what is no document.
    public static func plainText(of document: [UInt8]) -> String? {
        var reader = DocumentReader(document, dialect: .rules)
        return try? reader.readDocument().plainText
    }
}

extension DocumentNode {
    /// The part as JSON.
    fileprivate var plainText: String {
        switch content {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let value): "\(value)"
        case .string(let text): text.plainText
        case .array(let elements): "[" + elements.map(\.plainText).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.map { "\($0.name.plainText):\($0.value.plainText)" }
                .joined(separator: ",") + "}"
        }
    }
}

extension DocumentText {
    fileprivate var plainText: String { JSONWriter.text(of: .string(text)) }
}
