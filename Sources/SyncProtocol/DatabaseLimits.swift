public import DataTree

/// The limits of one database at one node. A limit that is not set leaves the decision to less specific settings; 0 means that
/// there is no limit.
public struct DatabaseLimits: Equatable, Sendable {
    /// A limit, by its name in configurations, in the catalog and in metrics.
    public enum Kind: String, CaseIterable, Sendable {
        /// The connections that last: streams of events, and sessions of Firebase's and of native clients.
        case connections
        /// The bytes of the data: those of all keys and values.
        case dataBytes
        /// The writes of clients in a second.
        case writesPerSecond
        /// Their bytes in a second.
        case bytesPerSecond
        /// The bytes of the data that one request shows.
        case answerBytes
    }

    /// The largest number of a limit.
    public static let bound = 1_000_000_000_000_000

    private var numbers: [Int?] = Array(repeating: nil, count: Kind.allCases.count)

    /// No limits.
    public init() {}

    /// A limit as it is set; nil if it is not set.
    public subscript(kind: Kind) -> Int? {
        get { numbers[kind.position] }
        set {
            precondition(newValue.map { (0...Self.bound).contains($0) } ?? true, "\(newValue!)")
            numbers[kind.position] = newValue
        }
    }

    /// The number that a limit permits; nil if there is no limit.
    public func limit(_ kind: Kind) -> Int? { self[kind].flatMap { $0 > 0 ? $0 : nil } }

    /// Whether nothing is set.
    public var isEmpty: Bool { numbers.allSatisfy { $0 == nil } }

    /// These limits, completed by less specific ones.
    public func over(_ general: DatabaseLimits) -> DatabaseLimits {
        var limits = self
        for kind in Kind.allCases where limits[kind] == nil { limits[kind] = general[kind] }
        return limits
    }
}

extension DatabaseLimits.Kind {
    /// The name in metrics, as in `writes_per_second`.
    public var label: String {
        rawValue.reduce(into: "") { text, character in
            text += character.isUppercase ? "_" + character.lowercased() : String(character)
        }
    }

    /// The position among all kinds.
    fileprivate var position: Int {
        switch self {
        case .connections: 0
        case .dataBytes: 1
        case .writesPerSecond: 2
        case .bytesPerSecond: 3
        case .answerBytes: 4
        }
    }
}

// MARK: - In the catalog

extension DatabaseLimits {
    /// Reads the limits of an entry of the catalog: an object of numbers by the names of the limits.
    ///
    /// - Throws: The problem with the first member that is no limit, in the order of keys.
    public init(_ value: Value) throws(DataError) {
        self.init()
        guard !value.isNull else { return }
        guard case .object(let members) = value.content else { throw .limits("no object") }
        for (key, member) in members {
            guard let kind = Kind(rawValue: key.text) else {
                throw .limits("the unknown limit \"\(key.text)\"")
            }
            guard case .integer(let number) = member.content,
                (0...Int64(DatabaseLimits.bound)).contains(number)
            else { throw .limits("another \"\(key.text)\" than a number from 0") }
            self[kind] = Int(number)
        }
    }

    /// The limits that are set, as the catalog has them; null if there are none.
    public var value: Value {
        .object(
            named: Kind.allCases.compactMap { kind in
                self[kind].map { (kind.rawValue, .integer(Int64($0))) }
            })
    }
}

extension DataError {
    fileprivate static func limits(_ found: String) -> DataError {
        let names = DatabaseLimits.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        return DataError(
            problem: "the limits of a database have \(found)",
            fix: "write an object of numbers by these names: \(names)")
    }
}
