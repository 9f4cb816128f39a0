internal import DataTree
public import JSONText
public import Rules

// Claims as JSON, in which tokens and requests have them.

extension Claim {
    /// Why a part of a JSON text is no claim.
    public enum Failure: Error, Equatable, Sendable {
        /// An object has two members of this name: readers would disagree which of them counts.
        case duplicate(name: String)
    }

    /// Reads a part of a JSON text, whose depth the text's reader bounds.
    ///
    /// - Complexity: O(n log n).
    public init(_ node: JSONNode) throws(Failure) {
        if let members = node.members {
            self = try Claim.object(of: members)
        } else if let elements = node.elements {
            var claims: [Claim] = []
            for element in elements { claims.append(try Claim(element)) }
            self = .array(claims)
        } else if let string = node.string {
            self = .string(string)
        } else if let number = node.number {
            self = .number(number)
        } else if let boolean = node.boolean {
            self = .boolean(boolean)
        } else {
            self = .null
        }
    }

    private static func object(
        of nodes: [(name: String, value: JSONNode)]
    ) throws(Failure) -> Claim {
        var members: [Member] = []
        for node in nodes { members.append(Member(node.name, try Claim(node.value))) }
        members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for (a, b) in zip(members, members.dropFirst())
        where a.name.utf8.elementsEqual(b.name.utf8) {
            throw .duplicate(name: a.name)
        }
        return .object(members)
    }

    /// The claim as JSON without white space.
    public var json: String {
        switch self {
        case .null: "null"
        case .boolean(let boolean): boolean ? "true" : "false"
        case .number(let number): Int64(exactly: number).map(String.init) ?? "\(number)"
        case .string(let string): JSONWriter.text(of: .string(string))
        case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.map {
                    JSONWriter.text(of: .string($0.name)) + ":" + $0.value.json
                }.joined(separator: ",") + "}"
        }
    }
}

// MARK: - Parts

extension Claim {
    /// The member of this name; nil without one.
    func member(_ name: String) -> Claim? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The string that stands under this name; nil if there is none, or something else.
    func string(_ name: String) -> String? {
        if case .string(let string)? = member(name) { string } else { nil }
    }

    /// The finite number that stands under this name.
    func number(_ name: String) -> Double? {
        if case .number(let number)? = member(name), number.isFinite { number } else { nil }
    }

    /// Whether `true` stands under this name.
    func isTrue(_ name: String) -> Bool { member(name) == .boolean(true) }
}
