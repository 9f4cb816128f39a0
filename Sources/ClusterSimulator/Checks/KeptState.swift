import DataTree
import SyncProtocol

/// The sizes of the collections in a value, and its counters. Each has the names of the properties that lead to it, as
/// in `sessions.slowClients.sessions`.
///
/// It inspects all stored properties, so that new ones are included.
struct KeptState {
    private(set) var sizes: [String: Int] = [:]
    private let leftOut: Set<String>
    /// The kinds of the types that it has met: to find one out takes long.
    private var kinds: [ObjectIdentifier: Kind] = [:]

    private enum Kind {
        /// Has no parts that count.
        case atom
        case sequence
        case other
    }

    /// - Parameter leftOut: The paths of names that are passed over, with all that they lead to.
    init(of value: Any, leavingOut leftOut: Set<String>) {
        self.leftOut = leftOut
        visit(value, at: "")
    }

    /// The sizes above zero, ascending by their names.
    var kept: [(name: String, count: Int)] {
        sizes.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private mutating func visit(_ value: Any, at path: String) {
        if leftOut.contains(path) || kind(of: value) == .atom { return }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .collection, .dictionary, .set:
            sizes[path, default: 0] += mirror.children.count
            for child in mirror.children { visit(element: child.value, of: mirror, at: path) }
        case .optional:
            if let some = mirror.children.first { visit(some.value, at: path) }
        default: visitProperties(of: mirror, value, at: path)
        }
    }

    /// Dictionaries count their values.
    private mutating func visit(element: Any, of collection: Mirror, at path: String) {
        guard collection.displayStyle == .dictionary else { return visit(element, at: path) }
        if let value = Mirror(reflecting: element).children.dropFirst().first?.value {
            visit(value, at: path)
        }
    }

    private mutating func visitProperties(of mirror: Mirror, _ value: Any, at path: String) {
        // A container of the package is looked into through its elements.
        if kind(of: value) == .sequence, let sequence = value as? any Sequence {
            for element in KeptState.elements(of: sequence) {
                sizes[path, default: 0] += 1
                visit(element, at: path)
            }
            return
        }
        var next: Mirror? = mirror
        while let level = next {
            for child in level.children {
                guard let name = child.label else { continue }
                let place = path.isEmpty ? name : "\(path).\(name)"
                if name.lowercased().hasSuffix("count"), let count = child.value as? Int {
                    if !leftOut.contains(place) { sizes[place, default: 0] += count }
                } else {
                    visit(child.value, at: place)
                }
            }
            next = level.superclassMirror
        }
    }

    private static func elements(of sequence: some Sequence) -> [Any] { sequence.map { $0 } }

    private mutating func kind(of value: Any) -> Kind {
        let type = ObjectIdentifier(type(of: value))
        if let kind = kinds[type] { return kind }
        let kind: Kind =
            KeptState.isAtom(value) ? .atom : value is any Sequence ? .sequence : .other
        kinds[type] = kind
        return kind
    }

    private static func isAtom(_ value: Any) -> Bool {
        switch value {
        case is Int, is UInt64, is Bool, is String, is Value, is Path, is Key, is VersionVector,
            is Stamp, is HybridTime, is WriterID, is Double, is [UInt8], is ArraySlice<UInt8>:
            true
        default: false
        }
    }
}
