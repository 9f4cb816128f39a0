import DataTree
import Foundation
import Testing

@testable import QueryEngine

private let file = ProcessInfo.processInfo.environment["HEARTH_SYNC_POINT_SPEC"]

/// The cases of the sync-point specification that need no client: one listen, and a server that
/// changes data.
@Suite(.enabled(if: file != nil, "HEARTH_SYNC_POINT_SPEC names the specification"))
struct SyncPointTests {
    @Test func `cases with one listen give the expected events`() throws {
        var count = 0
        for sample in try SyncPointTests.cases() {
            let steps = sample["steps"] as? [[String: Any]] ?? []
            guard SyncPointTests.isSimple(steps) else { continue }
            count += 1
            let name = sample["name"] as? String ?? ""
            try run(steps, name)
        }
        #expect(count > 0, "no case has one listen")
    }

    private static func cases() throws -> [[String: Any]] {
        let data = try Data(contentsOf: URL(filePath: file ?? ""))
        return try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
    }

    private static func isSimple(_ steps: [[String: Any]]) -> Bool {
        let kinds = steps.map { $0["type"] as? String ?? "" }
        let isKnown = kinds.allSatisfy {
            ["listen", "serverUpdate", "serverMerge", "suppressWarning"].contains($0)
        }
        return isKnown && kinds.first == "listen" && kinds.filter { $0 == "listen" }.count == 1
    }

    private func run(_ steps: [[String: Any]], _ name: String) throws {
        let listened = RawPath(steps[0]["path"])
        var view = CachedView(of: try query(steps[0]["params"]), for: .all)
        var windowOnly = false
        for (number, step) in steps.enumerated().dropFirst() {
            windowOnly = windowOnly || step["tag"] != nil
            let events = apply(step, to: &view, at: listened, windowOnly: windowOnly)
            let expected = (step["events"] as? [[String: Any]] ?? []).map(Expectation.init)
            let got = events.map(Expectation.init)
            #expect(Set(got) == Set(expected), "\(name), step \(number)")
            #expect(got.count == expected.count, "\(name), step \(number)")
        }
    }

    private func apply(
        _ step: [String: Any], to view: inout CachedView, at listened: RawPath, windowOnly: Bool
    ) -> [ViewEvent] {
        let path = RawPath(step["path"])
        // A server that sends a window names its listen. What else arrives for a child that the
        // window lacks is a part of that child, and so no candidate.
        if windowOnly, step["tag"] == nil, let key = path.relative(to: listened).keys.first,
            view.cache[key].isNull
        {
            return []
        }
        if step["type"] as? String == "serverUpdate" {
            return view.isComplete
                ? view.apply(writing: [(path.relative(to: listened), value(step["data"]))])
                : view.set(value(step["data"])[listened.relative(to: path)])
        }
        let merge = step["data"] as? [String: Any] ?? [:]
        return view.apply(
            writing: merge.keys.sorted().map { key in
                (path.appending(key).relative(to: listened), value(merge[key]))
            })
    }
}

// MARK: - Reading the file

/// An event in a form that can be compared without order.
private struct Expectation: Hashable {
    let text: String

    init(_ event: ViewEvent) {
        let previous = event.kind == .childRemoved ? nil : event.previousChildKey?.text
        text = "\(event.kind) \(event.key?.text ?? "") \(previous ?? "") \(event.data)"
    }

    init(_ event: [String: Any]) {
        let names = [
            "child_removed": "childRemoved", "child_added": "childAdded",
            "child_moved": "childMoved", "child_changed": "childChanged", "value": "value",
        ]
        let type = event["type"] as? String ?? ""
        let name = type == "value" ? "" : event["name"] as? String ?? ""
        let previous =
            ["value", "child_removed"].contains(type) ? "" : event["prevName"] as? String ?? ""
        text = "\(names[type] ?? type) \(name) \(previous) \(value(event["data"]))"
    }
}

/// A path whose keys need not be valid, as some in the specification are not.
private struct RawPath {
    let keys: [Key]

    init(_ text: Any?) {
        keys = (text as? String ?? "").split(separator: "/").map { Key(unchecked: String($0)) }
    }

    private init(keys: [Key]) { self.keys = keys }

    func appending(_ text: String) -> RawPath { RawPath(keys: keys + RawPath(text).keys) }

    func relative(to other: RawPath) -> Path { Path(Array(keys.dropFirst(other.keys.count))) }
}

private func value(_ json: Any?) -> Value {
    switch json {
    case let text as String: return .string(text)
    case let number as NSNumber:
        if String(cString: number.objCType) == "c" { return .boolean(number.boolValue) }
        return Number.double(number.doubleValue).value
    case let elements as [Any]:
        return object(elements.enumerated().map { (String($0), $1) })
    case let members as [String: Any]:
        if let content = members[".value"] {
            return value(content).prioritized(value(members[".priority"]))
        }
        let children = members.filter { !$0.key.hasPrefix(".") }.map { ($0.key, $0.value) }
        return object(children).prioritized(value(members[".priority"]))
    default: return .null
    }
}

private func object(_ members: [(String, Any)]) -> Value {
    var children = Children()
    for (name, member) in members {
        let child = value(member)
        if !child.isNull { children[Key(unchecked: name)] = child }
    }
    return Value(children)
}

private func query(_ json: Any?) throws -> Query {
    let params = json as? [String: Any] ?? [:]
    var query = Query()
    if let path = params["orderBy"] as? String { query = try query.ordered(byChild: path) }
    if params["orderByKey"] != nil { query = try query.orderedByKey() }
    if params["orderByPriority"] != nil { query = try query.orderedByPriority() }
    func bound(_ name: String) -> (value: Value, key: String?)? {
        (params[name] as? [String: Any]).map { (value($0["index"]), $0["name"] as? String) }
    }
    if let (value, key) = bound("startAt") { query = try query.starting(at: value, key: key) }
    if let (value, key) = bound("startAfter") { query = try query.starting(after: value, key: key) }
    if let (value, key) = bound("endAt") { query = try query.ending(at: value, key: key) }
    if let (value, key) = bound("endBefore") { query = try query.ending(before: value, key: key) }
    if let (value, key) = bound("equalTo") { query = try query.equal(to: value, key: key) }
    if let count = params["limitToFirst"] as? Int { query = try query.limited(toFirst: count) }
    if let count = params["limitToLast"] as? Int { query = try query.limited(toLast: count) }
    return query
}
