import DataTree
import Foundation
import JSONText
import Testing

@Suite struct JSONRoundTripTests {
    private let reader = JSONReader()

    @Test func `export form reads back as the same value`() throws {
        var random = SplitMix64(state: 4)
        for round in 0..<5_000 {
            let value = Value.random(depth: 4, using: &random)
            let layout: JSONWriter.Layout = round % 2 == 0 ? .compact : .pretty
            let bytes = JSONWriter.bytes(of: value, form: .export, layout: layout)
            #expect(try reader.parse(bytes) == value)
        }
    }

    @Test func `plain form reads back without priorities`() throws {
        var random = SplitMix64(state: 5)
        for _ in 0..<2_000 {
            let value = Value.random(depth: 4, using: &random)
            let read = try reader.parse(JSONWriter.bytes(of: value))
            #expect(
                JSONWriter.bytes(of: read, form: .export)
                    == JSONWriter.bytes(of: value.withoutPriorities, form: .export))
        }
    }

    @Test func `another reader sees the same data`() throws {
        var random = SplitMix64(state: 6)
        for _ in 0..<500 {
            let value = Value.random(depth: 4, using: &random).withShortNumbers
            let bytes = JSONWriter.bytes(of: value, form: .export)
            let other = try JSONSerialization.jsonObject(
                with: Data(bytes), options: .fragmentsAllowed)
            #expect(try Value(foundation: other) == value)
        }
    }
}

extension Value {
    fileprivate var withoutPriorities: Value {
        guard case .object(let children) = content else { return content }
        var plain = Children()
        for (key, child) in children { plain.updateValue(child.withoutPriorities, forKey: key) }
        return Value(plain)
    }

    /// Foundation's reader misses the last digits of some long numbers.
    fileprivate var withShortNumbers: Value {
        switch self {
        case .integer(let number): .integer(number % (1 << 50))
        case .double(let number): Number.double(Double(Float16(number.significand))).value
        case .prioritized(let value):
            value.content.withShortNumbers.prioritized(value.priority.withShortNumbers)
        case .object(let children):
            Value(
                children.reduce(into: Children()) { short, entry in
                    short.updateValue(entry.value.withShortNumbers, forKey: entry.key)
                })
        default: self
        }
    }

    /// Imports what Foundation's reader returned.
    fileprivate init(foundation object: Any) throws {
        switch object {
        case let members as [String: Any]:
            var builder = ObjectBuilder()
            for (key, member) in members {
                let child = try Value(foundation: member)
                try Array(key.utf8).withUnsafeBufferPointer { try builder.add($0, child) }
            }
            self = try builder.finish()
        case let text as String: self = .string(text)
        case let number as NSNumber where String(cString: number.objCType) == "c":
            self = .boolean(number.boolValue)
        case let number as NSNumber where String(cString: number.objCType) == "d":
            self = Number.double(number.doubleValue).value
        case let number as NSNumber: self = .integer(number.int64Value)
        default: self = .null
        }
    }
}
