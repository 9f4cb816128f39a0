internal import DataTree

/// The identity of a client, or a part of it: `auth` in rules, in the form of JSON.
///
/// It is no `Value`, since names in tokens may have any characters, and arrays are arrays.
public enum Claim: Equatable, Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([Claim])
    /// Members in the order of their names' bytes; equal names do not occur.
    case object([Member])

    /// A named part.
    public struct Member: Equatable, Sendable {
        /// The name, as the token has it.
        public let name: String
        /// The value of the member.
        public let value: Claim

        /// Makes a member.
        public init(_ name: String, _ value: Claim) { (self.name, self.value) = (name, value) }

        /// Whether both have the same bytes.
        public static func == (a: Member, b: Member) -> Bool {
            hasSameBytes(a.name, b.name) && a.value == b.value
        }
    }

    /// An object of these members; of equal names the last counts.
    public init(members: [Member]) {
        var unique: [Member] = []
        for member in members.reversed()
        where !unique.contains(where: { hasSameBytes($0.name, member.name) }) {
            unique.append(member)
        }
        self = .object(unique.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    }

    /// A user without further claims: `{"uid": …}`.
    public static func user(_ uid: String) -> Claim {
        .object([Member("uid", .string(uid))])
    }

    /// The ID of the user; nil without one.
    public var uid: String? {
        if case .string(let uid) = self["uid"] { uid } else { nil }
    }

    /// The part of this name; null without one, and of anything that has no parts.
    ///
    /// - Complexity: O(log members).
    subscript(name: String) -> Claim {
        switch self {
        case .array(let elements):
            guard let index = Int(name), elements.indices.contains(index), "\(index)" == name
            else { return .null }
            return elements[index]
        case .object(let members):
            return Claim.place(of: name, in: members).map { members[$0].value } ?? .null
        default: return .null
        }
    }
}

extension Claim {
    /// Whether the part of this name is a string that names a key.
    func isNamed(_ key: Key, by name: String) -> Bool {
        guard case .object(let members) = self, let place = Claim.place(of: name, in: members),
            case .string(let text) = members[place].value
        else { return false }
        return key.isNamed(text)
    }

    private static func place(of name: String, in members: [Member]) -> Int? {
        // Most users have a handful, of which few have names of the same length.
        if members.count <= 8 {
            return members.indices.first { hasSameBytes(members[$0].name, name) }
        }
        var (low, high) = (0, members.count)
        while low < high {
            let middle = (low + high) / 2
            if hasSameBytes(members[middle].name, name) { return middle }
            if members[middle].name.utf8.lexicographicallyPrecedes(name.utf8) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return nil
    }
}

/// Whether two strings are the same bytes; Swift's `==` is canonical equivalence.
func hasSameBytes(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count && a.utf16Order(to: b) == .same
}
