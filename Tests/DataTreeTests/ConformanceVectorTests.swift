import DataTree
import Foundation
import Testing

private let vectorsFile = ProcessInfo.processInfo.environment["HEARTH_VECTORS"]

/// The published vectors, in the file that `HEARTH_VECTORS` names; the other suites hold some of them.
@Suite(.enabled(if: vectorsFile != nil, "set HEARTH_VECTORS to the path of vectors.json"))
struct ConformanceVectorTests {
    let vectors: Vectors

    init() throws {
        let data = try Data(contentsOf: URL(filePath: #require(vectorsFile)))
        vectors = try JSONDecoder().decode(Vectors.self, from: data)
    }

    @Test func `data hashes`() {
        #expect(!vectors.hashV1.isEmpty)
        for vector in vectors.hashV1 {
            #expect(DataHash(of: vector.exportJSON.value).text == vector.hash)
        }
    }

    @Test func `compound hashes`() throws {
        #expect(!vectors.compound.isEmpty)
        for vector in vectors.compound {
            let ends = try vector.splitAfter.map { try Path(parsing: $0) }
            let hash = CompoundHash(of: vector.exportJSON.value) { path, _ in ends.contains(path) }
            #expect(hash.posts.map(\.description) == vector.posts.map { "/" + $0 })
            #expect(hash.hashes == vector.hashes)
        }
    }

    @Test func `key order`() {
        let keys = vectors.keyOrderAscending.map { Key(unchecked: $0) }
        #expect(keys.count > 10)
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `array rendering`() throws {
        #expect(!vectors.arrayRendering.isEmpty)
        for vector in vectors.arrayRendering {
            let value = try Value(members: vector.keys.map { ($0, true) })
            #expect((value.children.arrayLength != nil) == vector.array, "\(vector.keys)")
        }
    }

    @Test func `numbers that JavaScript spells wrong`() {
        #expect(!vectors.jsDoubleHexQuirk.isEmpty)
        for vector in vectors.jsDoubleHexQuirk {
            #expect(vector.value.bitPattern == UInt64(vector.true, radix: 16))
            let wrong = Double(bitPattern: UInt64(vector.js, radix: 16)!)
            #expect(DataHash(of: .double(wrong)).matches(.double(vector.value)))
        }
    }
}

struct Vectors: Decodable {
    struct Hash: Decodable {
        let exportJSON: ExportForm
        let hash: String

        enum CodingKeys: CodingKey { case exportJSON, hash }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            exportJSON = try members.decode(ExportForm.self, forKey: .exportJSON)
            hash = try members.decode(String.self, forKey: .hash)
        }
    }
    struct Compound: Decodable {
        let exportJSON: ExportForm
        let splitAfter, posts, hashes: [String]
    }
    struct Array: Decodable {
        let keys: [String]
        let array: Bool
    }
    struct Quirk: Decodable {
        let value: Double
        let `true`, js: String
    }

    let hashV1: [Hash]
    let compound: [Compound]
    let keyOrderAscending: [String]
    let jsDoubleHexQuirk: [Quirk]
    let arrayRendering: [Array]
}

/// A value in export form, decoded from JSON.
struct ExportForm: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.singleValueContainer().decode([String: ExportForm].self) {
            value = try Value(members: object.map { ($0, $1.value) })
        } else if let array = try? decoder.singleValueContainer().decode([ExportForm].self) {
            value = try Value(members: array.enumerated().map { (String($0), $1.value) })
        } else {
            value = try ExportForm.primitive(in: decoder.singleValueContainer())
        }
    }

    private static func primitive(in container: any SingleValueDecodingContainer) throws -> Value {
        if container.decodeNil() { return .null }
        if let flag = try? container.decode(Bool.self) { return .boolean(flag) }
        if let number = try? container.decode(Int64.self) { return .integer(number) }
        if let number = try? container.decode(Double.self) { return .double(number) }
        return .string(try container.decode(String.self))
    }
}
