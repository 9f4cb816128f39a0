internal import FoundationEssentials

/// A part of a configuration file as it is written, which a program keeps although it does not read it.
///
/// Comments are not kept.
package enum Setting: Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case list([Setting])
    case object([String: Setting])

    /// The members of the object in a JSON5 file.
    ///
    /// - Throws: what is wrong with the file.
    package static func members(ofFile path: String) throws(NodeError) -> [String: Setting] {
        guard case .object(let members) = try ConfigurationFile(path).decode(Setting.self) else {
            throw NodeError(
                problem: "\(path) is not an object", fix: "write it as configs/three-nodes.json5")
        }
        return members
    }

    /// The JSON text, members in the order of their names.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("a setting is not JSON: \(self)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}

extension Setting: Codable {
    /// Reads any JSON.
    package init(from decoder: any Decoder) throws {
        if let object = try? [String: Setting](from: decoder) {
            self = .object(object)
        } else if let list = try? [Setting](from: decoder) {
            self = .list(list)
        } else {
            self = try Setting(primitiveFrom: try decoder.singleValueContainer())
        }
    }

    private init(primitiveFrom container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    /// Writes the JSON that was read.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .list(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}
