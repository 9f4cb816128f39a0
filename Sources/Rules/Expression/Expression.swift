/// An expression of a rule: its parts in one array, each after the parts that it is made of.
///
/// The index of a part names it in traces and in coverage.
struct Expression: Sendable {
    struct Node: Sendable {
        var kind: Kind
        /// Its bytes in `source`.
        let span: Range<Int>
        /// The type of its result, as far as it is known without data.
        var type = StaticType.mixed
    }

    enum Kind: Sendable {
        case null
        case boolean(Bool)
        case number(Double)
        case string(String)
        case variable(Variable)
        case not(Int)
        case negative(Int)
        /// `a && b && c`.
        case all([Int])
        /// `a || b || c`.
        case any([Int])
        case comparison(Comparison, Int, Int)
        case arithmetic(Arithmetic, Int, Int)
        case conditional(Int, then: Int, otherwise: Int)
        case array([Int])
        case pattern(Pattern)

        // As parsed; the type checker replaces them by those below.
        case member(Int, String)
        case index(Int, Int)
        case call(Int, [Int])

        /// A part of `auth` by its name.
        case claim(Int, String)
        /// A part of `auth` by what an expression says.
        case claimAt(Int, Int)
        case length(Int)
        case queryProperty(QueryProperty)
        case snapshotMethod(SnapshotMethod, Int, [Int])
        case stringMethod(StringMethod, Int, [Int])
    }

    /// The text as it was written, without JSON's escapes.
    let source: [UInt8]
    var nodes: [Node]
    /// The index of the whole.
    let root: Int

    /// The text of a part.
    func text(of index: Int) -> String {
        String(decoding: source[nodes[index].span], as: UTF8.self)
    }

    /// An expression that is one constant, such as JSON's `true` in place of a text.
    init(constant: Bool) {
        source = Array("\(constant)".utf8)
        nodes = [Node(kind: .boolean(constant), span: 0..<source.count, type: .boolean)]
        root = 0
    }

    init(source: [UInt8], nodes: [Node], root: Int) {
        (self.source, self.nodes, self.root) = (source, nodes, root)
    }
}

/// A name that an expression may use.
enum Variable: Equatable, Sendable {
    case auth
    case now
    case root
    case data
    case newData
    case query
    /// A wildcard on the path of the rule: the index of its key.
    case binding(Int)
    case unknown(String)
}

/// An operator between values that gives a boolean.
enum Comparison: String, Sendable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// Whether it takes values of all types.
    var isEquality: Bool { self == .equal || self == .unequal }
}

/// An operator between values that gives a number, or a string.
enum Arithmetic: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
}

/// The members of `query`.
enum QueryProperty: String, Sendable {
    case orderByKey, orderByPriority, orderByValue, orderByChild
    case startAt, endAt, equalTo
    case limitToFirst, limitToLast

    var type: StaticType {
        switch self {
        case .orderByKey, .orderByPriority, .orderByValue: .boolean
        default: .queryValue
        }
    }
}

/// The methods of a place of the tree.
enum SnapshotMethod: String, Sendable {
    case val, child, parent, hasChild, hasChildren, exists, getPriority
    case isNumber, isString, isBoolean

    var type: StaticType {
        switch self {
        case .val, .getPriority: .value
        case .child, .parent: .snapshot
        default: .boolean
        }
    }
}

/// The methods of a string.
enum StringMethod: String, Sendable {
    case contains, beginsWith, endsWith, replace, toLowerCase, toUpperCase, matches

    var type: StaticType { givesText ? .string : .boolean }

    /// Whether it gives a string; the others say something of one.
    var givesText: Bool {
        switch self {
        case .replace, .toLowerCase, .toUpperCase: true
        case .contains, .beginsWith, .endsWith, .matches: false
        }
    }
}
