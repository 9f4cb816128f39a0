internal import SyncProtocol

/// The limits of a database in a configuration file.
struct LimitsDocument: StrictlyDecodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case connections, dataBytes, writesPerSecond, bytesPerSecond, answerBytes
    }

    let connections: Int?
    let dataBytes: Int?
    let writesPerSecond: Int?
    let bytesPerSecond: Int?
    let answerBytes: Int?

    fileprivate func number(of kind: DatabaseLimits.Kind) -> Int? {
        switch kind {
        case .connections: connections
        case .dataBytes: dataBytes
        case .writesPerSecond: writesPerSecond
        case .bytesPerSecond: bytesPerSecond
        case .answerBytes: answerBytes
        }
    }
}

extension DatabaseLimitTable {
    /// The name of the limits of all databases that have no others.
    static let generalName = "*"

    /// Reads the part `limits` of a configuration file.
    init(_ document: [String: Strict<LimitsDocument>], in file: ConfigurationFile) throws(NodeError)
    {
        self.init()
        for (text, entry) in document.sorted(by: { $0.key < $1.key }) {
            let limits = try DatabaseLimits(entry.content, in: file)
            if text == DatabaseLimitTable.generalName {
                general = limits
            } else if let name = DatabaseName(text) {
                configured[name] = limits
            } else {
                throw file.error(
                    #""limits" has "\#(text.prefix(70))", which is not the name of a database"#,
                    at: ["limits", text],
                    fix:
                        #"use the name of a database, or "\#(DatabaseLimitTable.generalName)" for all"#
                )
            }
        }
    }
}

extension DatabaseLimits {
    fileprivate init(_ document: LimitsDocument, in file: ConfigurationFile) throws(NodeError) {
        self.init()
        for kind in Kind.allCases {
            self[kind] = try file.number(
                document.number(of: kind), in: 0...DatabaseLimits.bound, at: kind.rawValue)
        }
    }
}
