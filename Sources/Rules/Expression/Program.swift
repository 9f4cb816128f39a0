internal import DataTree

/// An expression in the form in which it is evaluated: an instruction for each part, under the index of the part.
///
/// Instructions are plain words, so that reading one counts no references: constants, patterns and lists of parts stand
/// in tables beside them.
final class Program: Sendable {
    /// A constant; of a string also the path that it names where a path is asked for.
    struct Constant: Sendable {
        let value: RuleValue
        let isTrue: Bool
        let text: String
        let keys: [Key]

        init(_ value: RuleValue) {
            self.value = value
            isTrue = value.isTrue
            text = value.text ?? ""
            keys = Key.keys(ofPath: text)
        }
    }

    /// The instruction of a part; integers are indexes of other parts, ranges those of `lists`.
    enum Instruction: Sendable {
        /// The constant of this number.
        case constant(Int)
        case auth
        case now
        case root
        case data
        case newData
        /// The key that a wildcard stands for, by its index in the path.
        case binding(Int)
        case query(QueryProperty)
        case not(Int)
        case negative(Int)
        case all(Range<Int>)
        case any(Range<Int>)
        case comparison(Comparison, Int, Int)
        /// Whether a part is the key that a wildcard stands for, which is the second part, or is not.
        case equalsBinding(Int, Int, isEqual: Bool)
        case arithmetic(Arithmetic, Int, Int)
        case conditional(Int, then: Int, otherwise: Int)
        /// A part of `auth`, the name of which is a constant.
        case claim(Int, name: Int)
        case claimAt(Int, Int)
        case length(Int)
        case snapshotMethod(SnapshotMethod, Int, Range<Int>)
        /// Whether a place has children whose names are constants: all those of this number in `childKeys`.
        case hasChildren(Int, names: Range<Int>, keys: Int)
        case stringMethod(StringMethod, Int, Range<Int>)
        /// The names that `hasChildren` is asked for.
        case array(Range<Int>)
        /// The pattern of this number, which `matches` is asked for.
        case pattern(Int)
        /// A part that another instruction represents and that is never evaluated: a called method,
        /// or `query` before its property.
        case absent
    }

    let instructions: [Instruction]
    let constants: [Constant]
    let patterns: [Pattern]
    /// The arguments of `hasChildren`, ascending.
    let childKeys: [[Key]]
    /// The parts of instructions that have any number of them.
    let lists: [Int]
    /// The index of the whole.
    let root: Int
    /// The check of the value at its place, if it is nothing else.
    let check: ValueCheck?
    /// Whether its result is independent of data and time.
    let isOfWayAlone: Bool

    /// Compiles an expression whose types are checked.
    init(_ expression: Expression) {
        var compiler = ProgramCompiler(expression.nodes)
        instructions = expression.nodes.map { compiler.instruction(for: $0.kind) }
        constants = compiler.constants
        patterns = compiler.patterns
        childKeys = compiler.childKeys
        lists = compiler.lists
        root = expression.root
        check = ValueCheck(expression)
        isOfWayAlone = expression.isOfWayAlone
    }
}

/// Fills the tables of a program.
private struct ProgramCompiler {
    private let nodes: [Expression.Node]
    private(set) var constants: [Program.Constant] = []
    private(set) var patterns: [Pattern] = []
    private(set) var childKeys: [[Key]] = []
    private(set) var lists: [Int] = []

    init(_ nodes: [Expression.Node]) { self.nodes = nodes }

    mutating func instruction(for kind: Expression.Kind) -> Program.Instruction {
        switch kind {
        case .null: .constant(add(.null))
        case .boolean(let value): .constant(add(.boolean(value)))
        case .number(let value): .constant(add(.number(value)))
        case .string(let value): .constant(add(.string(value)))
        case .variable(let variable): instruction(for: variable)
        case .not(let part): .not(part)
        case .negative(let part): .negative(part)
        case .all(let parts): .all(add(parts))
        case .any(let parts): .any(add(parts))
        case .comparison(let comparison, let left, let right):
            equality(comparison, left, right) ?? equality(comparison, right, left)
                ?? .comparison(comparison, left, right)
        case .arithmetic(let operation, let left, let right): .arithmetic(operation, left, right)
        case .conditional(let condition, let then, let otherwise):
            .conditional(condition, then: then, otherwise: otherwise)
        case .array(let parts): .array(add(parts))
        case .pattern(let pattern): .pattern(add(pattern))
        case .member, .index, .call: .absent
        case .claim(let object, let name): .claim(object, name: add(.string(name)))
        case .claimAt(let object, let key): .claimAt(object, key)
        case .length(let object): .length(object)
        case .queryProperty(let property): .query(property)
        case .snapshotMethod(let method, let object, let arguments):
            hasChildren(method, object, arguments)
                ?? .snapshotMethod(method, object, add(arguments))
        case .stringMethod(let method, let object, let arguments):
            .stringMethod(method, object, add(arguments))
        }
    }

    /// `auth.uid == $uid`, the most frequent of all comparisons.
    private func equality(
        _ comparison: Comparison, _ part: Int, _ binding: Int
    ) -> Program.Instruction? {
        guard comparison.isEquality, case .variable(.binding) = nodes[binding].kind else {
            return nil
        }
        return .equalsBinding(part, binding, isEqual: comparison == .equal)
    }

    /// `newData.hasChildren(['a', 'b'])`, if all its names are keys.
    private mutating func hasChildren(
        _ method: SnapshotMethod, _ object: Int, _ arguments: [Int]
    ) -> Program.Instruction? {
        guard method == .hasChildren, let argument = arguments.first,
            case .array(let names) = nodes[argument].kind
        else { return nil }
        guard let keys = Expression.childKeys(names, of: nodes) else { return nil }
        childKeys.append(Set(keys).sorted())
        return .hasChildren(object, names: add(names), keys: childKeys.count - 1)
    }

    private func instruction(for variable: Variable) -> Program.Instruction {
        switch variable {
        case .auth: .auth
        case .now: .now
        case .root: .root
        case .data: .data
        case .newData: .newData
        case .binding(let number): .binding(number)
        // Only its properties have values, and the type checker lets nothing unknown through.
        case .query, .unknown: .absent
        }
    }

    private mutating func add(_ value: RuleValue) -> Int {
        constants.append(Program.Constant(value))
        return constants.count - 1
    }

    private mutating func add(_ pattern: Pattern) -> Int {
        patterns.append(pattern)
        return patterns.count - 1
    }

    private mutating func add(_ parts: [Int]) -> Range<Int> {
        lists += parts
        return lists.count - parts.count..<lists.count
    }
}
