import DataTree

/// The errors of invalid queries, in the words of Firebase's JavaScript client.
///
/// Source: `firebase-semantics.md`, section 4.2; its slips of the pen are Firebase's.
enum QueryError {
    case orderIsSet(String)
    case startIsSet(String)
    case endIsSet(String)
    case startIsSetForEqual
    case endIsSetForEqual
    case limitIsSet(String)
    case limitIsNotPositive(String)
    case keyOrderWithKey
    case keyOrderWithoutString
    case boundIsNoPriority
    case boundIsObject
    case reserved(String, String)
    case emptyPath
    case invalidKey(String, String)
    case invalidMember(String, String)

    var error: DataError { DataError(problem: problem, fix: fix) }

    private var problem: String {
        switch self {
        case .orderIsSet(let function):
            "\(function): You can't combine multiple orderBy calls."
        case .startIsSet("startAt"):
            "startAt: Starting point was already set (by another call to startAt, startBefore or "
                + "equalTo)."
        case .startIsSet(let function):
            "\(function): Starting point was already set (by another call to startAt, startAfter, "
                + "or equalTo)."
        case .endIsSet(let function):
            "\(function): Starting point was already set (by another call to endAt, endBefore or "
                + "equalTo)."
        case .startIsSetForEqual:
            "equalTo: Starting point was already set (by another call to startAt/startAfter or "
                + "equalTo)."
        case .endIsSetForEqual:
            "equalTo: Ending point was already set (by another call to endAt/endBefore or equalTo)."
        case .limitIsSet(let function):
            "\(function): Limit was already set (by another call to limitToFirst or limitToLast)."
        case .limitIsNotPositive(let function):
            "\(function): First argument must be a positive integer."
        case .keyOrderWithKey:
            "Query: When ordering by key, you may only pass one argument to startAt(), endAt(), or "
                + "equalTo()."
        case .keyOrderWithoutString:
            "Query: When ordering by key, the argument passed to startAt(), startAfter(), endAt(), "
                + "endBefore(), or equalTo() must be a string."
        case .boundIsNoPriority:
            "Query: When ordering by priority, the first argument passed to startAt(), "
                + "startAfter() endAt(), endBefore(), or equalTo() must be a valid priority value "
                + "(null, a number, or a string)."
        case .boundIsObject:
            "Query: First argument passed to startAt(), startAfter(), endAt(), endBefore(), or "
                + "equalTo() cannot be an object."
        case .reserved(let name, let instead):
            "orderByChild: \"\(name)\" is invalid.  Use \(instead)() instead."
        case .emptyPath:
            "orderByChild: cannot pass in empty path. Use orderByValue() instead."
        case .invalidKey(let function, let key):
            "\(function) failed: key argument was an invalid key = \"\(key)\".  Firebase keys must "
                + "be non-empty strings and can't contain \".\", \"#\", \"$\", \"/\", \"[\", or "
                + "\"]\")."
        case .invalidMember(let name, let failure):
            "invalid query: \(name) \(failure)"
        }
    }

    private var fix: String {
        switch self {
        case .orderIsSet: "order by one thing only"
        case .startIsSet, .startIsSetForEqual: "set one starting point only"
        case .endIsSet, .endIsSetForEqual: "set one end only"
        case .limitIsSet: "set one limit only"
        case .limitIsNotPositive: "give a limit of 1 or more"
        case .keyOrderWithKey: "give the key as the value, and nothing else"
        case .keyOrderWithoutString: "give a key as a string"
        case .boundIsNoPriority: "give null, a number or a string"
        case .boundIsObject: "give null, a boolean, a number or a string"
        case .reserved(_, let instead): "call \(instead)()"
        case .emptyPath: "name a child, for example points or metrics/views"
        case .invalidKey: "give a key that a child can have"
        case .invalidMember: "send the members that the documentation of the protocol lists"
        }
    }
}
