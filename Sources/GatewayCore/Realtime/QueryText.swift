internal import DataTree
internal import JSONText
package import QueryEngine

extension Query {
    /// A query as clients of Firebase's protocol write it: a JSON object.
    package var realtimeText: String {
        let members = QueryMembers(self)
        var parts: [String] = []
        if let value = members.startValue { parts.append(#""sp":\#(Query.json(value))"#) }
        if let key = members.startKey { parts.append(#""sn":\#(Query.json(.string(key)))"#) }
        if let flag = members.startIsInclusive { parts.append(#""sin":\#(flag)"#) }
        if let value = members.endValue { parts.append(#""ep":\#(Query.json(value))"#) }
        if let key = members.endKey { parts.append(#""en":\#(Query.json(.string(key)))"#) }
        if let flag = members.endIsInclusive { parts.append(#""ein":\#(flag)"#) }
        if let limit = members.limit { parts.append(#""l":\#(limit)"#) }
        if let end = members.viewFrom { parts.append(#""vf":\#(Query.json(.string(end)))"#) }
        if let index = members.index { parts.append(#""i":\#(Query.json(.string(index)))"#) }
        return "{\(parts.joined(separator: ","))}"
    }

    private static func json(_ value: Value) -> String {
        JSONWriter.text(of: value, form: .export)
    }
}
