internal import DataTree
internal import HTTPText
internal import JSONText
internal import QueryEngine

/// The query in the parameters of a REST request: an order, the ends of a range, and a limit.
///
/// Values are JSON, `orderBy="height"&startAt=5`; a bound may have a key behind a comma, `startAt=5,"ada"`.
/// The texts of its errors are those of Firebase's own service.
struct RestQuery {
    private let parameters: QueryParameters
    private let json: JSONReader

    init(_ parameters: QueryParameters, _ json: JSONReader) {
        self.parameters = parameters
        self.json = json
    }

    /// The query; one that shows all if there are no such parameters.
    ///
    /// - Parameter isShallow: Whether only keys are asked for: then they need no order, and a bound may be a bare key.
    func query(isShallow: Bool) throws(RestFailure) -> Query {
        let names = Name.allCases.filter { parameters.first($0.rawValue) != nil }
        let isBare = isShallow && parameters.first("orderBy") == nil
        var members = QueryMembers()
        if let order = parameters.first("orderBy") {
            members.index = try index(order)
        } else {
            if names.isEmpty { return Query() }
            guard isBare else { throw .orderIsMissing }
            members.index = ".key"
        }
        try checkCombination(names)
        for name in names where !name.isLimit { try set(name, of: &members, isBare: isBare) }
        try setLimit(of: &members)
        do throws(DataError) {
            return try Query(members)
        } catch {
            throw .invalid(error.problem, fix: error.fix)
        }
    }

    private enum Name: String, CaseIterable {
        case startAt, startAfter, endAt, endBefore, equalTo, limitToFirst, limitToLast

        var isLimit: Bool { self == .limitToFirst || self == .limitToLast }
    }

    private func checkCombination(_ names: [Name]) throws(RestFailure) {
        if names.contains(.equalTo), names.contains(where: { !$0.isLimit && $0 != .equalTo }) {
            throw .equalToBesideRange
        }
        for (one, other) in [
            (Name.startAt, Name.startAfter), (.endAt, .endBefore), (.limitToFirst, .limitToLast),
        ] where names.contains(one) && names.contains(other) {
            throw .invalid(
                "\(one.rawValue) cannot be specified in addition to \(other.rawValue)",
                fix: "omit one of the two")
        }
    }
}

// MARK: - Parts

extension RestQuery {
    /// Returns the index of an `orderBy`, as a member of a query.
    private func index(_ text: String) throws(RestFailure) -> String {
        guard let order = try? json.parse(text), case .string(let name) = order else {
            throw .order
        }
        switch name {
        case "$key": return ".key"
        case "$value": return ".value"
        case "$priority": return ".priority"
        default:
            guard let path = try? Path(name), !path.isRoot, path.last != .priority else {
                throw .order
            }
            return name
        }
    }

    private func set(
        _ name: Name, of members: inout QueryMembers, isBare: Bool
    ) throws(RestFailure) {
        let text = parameters.first(name.rawValue) ?? ""
        var bound = try bound(text, isBare: isBare)
        // By key, a bound is the key alone, and so is one behind which a client puts the end of all keys.
        let isByKey = members.index == ".key"
        if isByKey, bound.key == RestQuery.least || bound.key == RestQuery.greatest {
            bound.key = nil
        }
        switch name {
        case .startAt: members.setStart(bound.value, bound.key, isInclusive: true)
        case .startAfter:
            let key = bound.key ?? (isByKey ? nil : RestQuery.greatest)
            members.setStart(bound.value, key, isInclusive: false)
        case .endAt: members.setEnd(bound.value, bound.key, isInclusive: true)
        case .endBefore:
            let key = bound.key ?? (isByKey ? nil : RestQuery.least)
            members.setEnd(bound.value, key, isInclusive: false)
        case .equalTo:
            members.setStart(bound.value, bound.key, isInclusive: true)
            members.setEnd(bound.value, bound.key, isInclusive: true)
        case .limitToFirst, .limitToLast: break
        }
    }

    /// The value of a bound, and the key behind it.
    private func bound(
        _ text: String, isBare: Bool
    ) throws(RestFailure) -> (value: Value, key: String?) {
        // A list keeps what stands behind a comma apart, whatever is quoted.
        guard let list = try? json.parse("[0,\(text)]"), list[Key(index: 0)] == .integer(0),
            list.children.allSatisfy({ ($0.key.integer ?? .max) <= 2 })
        else {
            if isBare, (try? Key(text)) != nil { return (.string(text), nil) }
            throw .boundValue
        }
        let (value, key) = (list[Key(index: 1)], list[Key(index: 2)])
        guard value.isNull || value.isPrimitive, value.priority.isNull, !value.containsDeferred
        else { throw .boundValue }
        switch key {
        case .null: return (value, nil)
        case .string(let name)
        where name == RestQuery.least || name == RestQuery.greatest || (try? Key(name)) != nil:
            return (value, name)
        default: throw .boundKey
        }
    }

    private func setLimit(of members: inout QueryMembers) throws(RestFailure) {
        for (name, side) in [(Name.limitToFirst, "l"), (.limitToLast, "r")] {
            guard let text = parameters.first(name.rawValue) else { continue }
            guard let limit = Int32(text), text.first != "+" else {
                throw .invalid(
                    "\(name.rawValue) must be an integer", fix: "give a number from 1 to 2147483647"
                )
            }
            guard limit > 0 else {
                throw .invalid(
                    "\(name.rawValue) must be positive", fix: "give a number from 1 to 2147483647")
            }
            members.limit = Int(limit)
            members.viewFrom = side
        }
    }

    private static let least = "[MIN_NAME]"
    private static let greatest = "[MAX_NAME]"
}

extension QueryMembers {
    fileprivate mutating func setStart(_ value: Value, _ key: String?, isInclusive: Bool) {
        (startValue, startKey, startIsInclusive) = (value, key, isInclusive)
    }

    fileprivate mutating func setEnd(_ value: Value, _ key: String?, isInclusive: Bool) {
        (endValue, endKey, endIsInclusive) = (value, key, isInclusive)
    }
}

// MARK: - Errors

extension RestFailure {
    fileprivate static let orderIsMissing = RestFailure.invalid(
        "orderBy must be defined when other query parameters are defined",
        fix: "add orderBy=\"$key\", say, with its quotes")

    fileprivate static let order = RestFailure.invalid(
        "orderBy must be a valid JSON encoded path",
        fix: "give \"$key\", \"$value\", \"$priority\" or the path of a child, with the quotes")

    fileprivate static let equalToBesideRange = RestFailure.invalid(
        "equalTo cannot be specified in addition to startAt or endAt",
        fix: "omit equalTo, or the ends of the range")

    fileprivate static let boundValue = RestFailure.invalid(
        "Constraint index field must be a JSON primitive",
        fix: "give a number, true, false, null, or a string with its quotes")

    fileprivate static let boundKey = RestFailure.invalid(
        "Constraint key field must be a valid key name",
        fix: "give the key of a child as a string with its quotes")
}
