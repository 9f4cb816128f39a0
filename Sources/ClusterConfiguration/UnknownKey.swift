internal import Spelling

/// A key of a file that nothing reads: most likely misspelt.
struct UnknownKey: Error {
    /// The keys from the top down; the last is the unknown one.
    let path: [String]
    /// The keys that may stand there.
    let known: [String]

    /// The known key that takes the fewest edits to reach.
    var nearest: String {
        let unknown = path.last ?? ""
        return known.min {
            editDistance(unknown, $0) < editDistance(unknown, $1)
        } ?? ""
    }
}

/// An object that names all its keys.
protocol StrictlyDecodable: Decodable {
    associatedtype CodingKeys: CodingKey, CaseIterable
}

/// An object in which an unknown key is an error, and not ignored.
struct Strict<Content: StrictlyDecodable>: Decodable {
    let content: Content

    init(from decoder: any Decoder) throws {
        let known = Content.CodingKeys.allCases.map(\.stringValue)
        let keys = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
        if let key = keys.sorted().first(where: { !known.contains($0) }) {
            let path = decoder.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
            throw UnknownKey(path: path + [key], known: known)
        }
        content = try Content(from: decoder)
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
