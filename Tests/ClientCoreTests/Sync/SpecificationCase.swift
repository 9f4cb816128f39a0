import DataTree
import Foundation
import QueryEngine

/// One case of the sync-point specification.
struct SpecificationCase: Decodable {
    let name: String
    let steps: [Step]

    struct Step: Decodable {
        /// Nil for a step that is only a comment.
        let type: String?
        let path: String?
        let params: Parameters?
        let data: ImportForm?
        let tag: UInt64?
        let visible: Bool?
        let writeId: UInt64?
        let revert: Bool?
        let callbackId: Int?
        let events: [Event]?
    }

    struct Event: Decodable {
        let path: String
        let type: String
        let name: String?
        let prevName: String?
        let data: ImportForm?
    }

    struct Bound: Decodable {
        let index: ImportForm?
        let name: String?
    }

    struct Parameters: Decodable {
        let orderBy: String?
        let orderByKey: Bool?
        let orderByPriority: Bool?
        let orderByValue: Bool?
        let startAt, startAfter, endAt, endBefore, equalTo: Bound?
        let limitToFirst, limitToLast: Int?
    }
}

extension SpecificationCase.Parameters {
    /// The query that they describe; the order in which they stand changes only what is valid.
    var query: Query {
        get throws {
            var query = Query()
            if let orderBy { query = try query.ordered(byChild: orderBy) }
            if orderByKey != nil { query = try query.orderedByKey() }
            if orderByPriority != nil { query = try query.orderedByPriority() }
            if orderByValue != nil { query = try query.orderedByValue() }
            if let startAt { query = try query.starting(at: startAt.value, key: startAt.name) }
            if let bound = startAfter {
                query = try query.starting(after: bound.value, key: bound.name)
            }
            if let endAt { query = try query.ending(at: endAt.value, key: endAt.name) }
            if let bound = endBefore {
                query = try query.ending(before: bound.value, key: bound.name)
            }
            if let equalTo { query = try query.equal(to: equalTo.value, key: equalTo.name) }
            if let limitToFirst { query = try query.limited(toFirst: limitToFirst) }
            if let limitToLast { query = try query.limited(toLast: limitToLast) }
            return query
        }
    }
}

extension SpecificationCase.Bound {
    var value: Value { index?.value ?? .null }
}

/// A value in import form, decoded from JSON.
struct ImportForm: Decodable {
    let value: Value
    /// The members of an object as they stand: what a merge replaces.
    let members: [String: ImportForm]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let object = try? container.decode([String: ImportForm].self) {
            members = object
            // The keys of a merge may be paths; then only the members count.
            let isMerge = object.keys.contains { $0.contains("/") }
            value = isMerge ? .null : try ImportForm.value(of: object)
        } else {
            members = [:]
            if let array = try? container.decode([ImportForm].self) {
                var builder = ObjectBuilder()
                for (index, element) in array.enumerated() {
                    builder.addElement(index, element.value)
                }
                value = try builder.finish()
            } else {
                value = try ImportForm.primitive(in: container)
            }
        }
    }

    var writes: [(path: Path, value: Value)] {
        members.sorted { $0.key < $1.key }.map { (path($0.key), $0.value.value) }
    }

    private static func value(of members: [String: ImportForm]) throws -> Value {
        var builder = ObjectBuilder()
        for (name, member) in members where name != ".comment" {
            let bytes = Array(name.utf8)
            try bytes.withUnsafeBufferPointer { try builder.add($0, member.value) }
        }
        return try builder.finish()
    }

    private static func primitive(in container: any SingleValueDecodingContainer) throws -> Value {
        if container.decodeNil() { return .null }
        if let flag = try? container.decode(Bool.self) { return .boolean(flag) }
        if let number = try? container.decode(Int64.self) { return .integer(number) }
        if let number = try? container.decode(Double.self) { return .double(number) }
        return .string(try container.decode(String.self))
    }
}
