public import ClientCore
public import DataTree
public import Foundation
internal import JSONText

// `Codable` types travel as the JSON that Foundation's coders make of them.

extension Value {
    /// Takes what an `Encodable` value encodes itself as.
    ///
    /// - Throws: `HearthError` if it cannot be encoded, or has a key that the tree does not allow.
    /// - Complexity: O(size).
    public init(
        encoding value: some Encodable, with encoder: JSONEncoder = JSONEncoder()
    ) throws(HearthError) {
        let text: [UInt8]
        do {
            text = Array(try encoder.encode(value))
        } catch {
            throw HearthError(
                .invalid, "the value cannot be encoded: \(error)",
                fix: "store a type whose members are booleans, finite numbers, strings, and "
                    + "dictionaries, arrays and structures of them")
        }
        do throws(JSONError) {
            self = try JSONReader().parse(text)
        } catch {
            throw HearthError(
                .invalid, "the encoded value cannot be stored: \(error)", fix: error.fix)
        }
    }

    /// Reads the content as a `Decodable` type.
    ///
    /// A list without elements is nothing in the tree: declare such members as optional.
    ///
    /// - Throws: `HearthError` with the member that does not fit.
    /// - Complexity: O(size).
    public func decoded<Content: Decodable>(
        as type: Content.Type = Content.self, with decoder: JSONDecoder = JSONDecoder()
    ) throws(HearthError) -> Content {
        do {
            return try decoder.decode(type, from: Data(JSONWriter.bytes(of: self)))
        } catch {
            throw HearthError(
                .invalid, "the data is not a \(type): \(error)",
                fix: "compare the type's members with what is stored; optional ones may be missing")
        }
    }
}

extension DataSnapshot {
    /// The content as a `Decodable` type.
    ///
    /// - Throws: `HearthError` with the member that does not fit.
    public func data<Content: Decodable>(
        as type: Content.Type = Content.self, decoder: JSONDecoder = JSONDecoder()
    ) throws(HearthError) -> Content {
        try data.decoded(as: type, with: decoder)
    }
}

extension DatabaseReference {
    /// Replaces what is here by what a value encodes itself as.
    ///
    /// - Throws: `HearthError` if it cannot be encoded.
    public func setValue(
        from value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) throws(HearthError) {
        setValue(try Value(encoding: value, with: encoder))
    }

    /// Replaces what is here by what a value encodes itself as.
    ///
    /// - Throws: `HearthError` if it cannot be encoded.
    public func setValue(
        from value: some Encodable, encoder: JSONEncoder = JSONEncoder(),
        completion: @escaping @isolated(any) (HearthError?) -> Void
    ) throws(HearthError) {
        let completion = Carried(completion)
        let value = try Value(encoding: value, with: encoder)
        post(.put(path, value)) { [database] error in
            database.delivery.call { await completion.block(error) }
        }
    }

    /// Replaces what is here by what a value encodes itself as, and waits until a node has it, however long that
    /// takes.
    ///
    /// - Throws: `HearthError` if it cannot be encoded; the node's reason; or `cancelled` when the task is, and
    ///   the write may still happen then.
    @discardableResult
    public nonisolated(nonsending) func setValue(
        from value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) async throws(HearthError) -> DatabaseReference {
        try await setValue(try Value(encoding: value, with: encoder))
    }
}
