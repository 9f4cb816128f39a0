extension Mark {
    /// As people write it: `batch-waits`.
    public var name: String {
        "\(self)".reduce(into: "") { name, letter in
            name += letter.isUppercase ? "-" + letter.lowercased() : String(letter)
        }
    }

    /// The mark with a name.
    public init?(named name: String) {
        guard let mark = Mark.allCases.first(where: { $0.name == name }) else { return nil }
        self = mark
    }
}
