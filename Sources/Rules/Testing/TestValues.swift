internal import DataTree
internal import JSONText

/// Turns values as files of tests have them into data, in the form in which clients send it: with `.priority`, `.value`
/// and `.sv`.
struct TestValues {
    private let reader = JSONReader()

    /// The data that a value stands for.
    func value(of node: DocumentNode) throws(SourceError) -> Value {
        try located(at: node) { () throws(JSONError) in try reader.parse(node.json) }
    }

    /// The paths and the data of an update.
    func update(
        of node: DocumentNode
    ) throws(SourceError) -> [(path: Path, value: Value)] {
        try located(at: node) { () throws(JSONError) in
            let text = Array(node.json.utf8)
            return try text.span.bytes.withUnsafeBytes { bytes throws(JSONError) in
                try reader.parseUpdate(bytes)
            }
        }
    }

    private func located<Result>(
        at node: DocumentNode, _ body: () throws(JSONError) -> Result
    ) throws(SourceError) -> Result {
        do {
            return try body()
        } catch {
            throw SourceError(offset: node.offset, text: error.problem)
        }
    }
}

extension DocumentNode {
    /// The part as plain JSON.
    fileprivate var json: String {
        switch content {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let number): RuleValue.text(of: number)
        case .string(let string): JSONWriter.text(of: .string(string.text))
        case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.map {
                    JSONWriter.text(of: .string($0.name.text)) + ":" + $0.value.json
                }.joined(separator: ",") + "}"
        }
    }

    /// The part as what is known of a user.
    var claim: Claim {
        switch content {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .number(let number): .number(number)
        case .string(let string): .string(string.text)
        case .array(let elements): .array(elements.map(\.claim))
        case .object(let members):
            Claim(members: members.map { Claim.Member($0.name.text, $0.value.claim) })
        }
    }
}

extension QueryShape {
    /// Takes the members that `query` has; nil if there are others, or one has the wrong type.
    ///
    /// The order is that of priorities unless a member names another one.
    fileprivate init?(members: [Claim.Member]) {
        self.init()
        let otherOrders = ["orderByKey", "orderByValue", "orderByChild"]
        orderByPriority = !members.contains { otherOrders.contains($0.name) }
        for member in members {
            switch (QueryProperty(rawValue: member.name), member.value) {
            case (.orderByKey, .boolean(let value)): orderByKey = value
            case (.orderByPriority, .boolean(let value)): orderByPriority = value
            case (.orderByValue, .boolean(let value)): orderByValue = value
            case (.orderByChild, .string(let path)): orderByChild = path
            case (.startAt, let bound): startAt = bound
            case (.endAt, let bound): endAt = bound
            case (.equalTo, let bound): equalTo = bound
            case (.limitToFirst, .number(let count)): limitToFirst = Int(exactly: count)
            case (.limitToLast, .number(let count)): limitToLast = Int(exactly: count)
            default: return nil
            }
        }
    }

    /// Takes an object of such members.
    init?(_ claim: Claim) {
        guard case .object(let members) = claim else { return nil }
        self.init(members: members)
    }
}
