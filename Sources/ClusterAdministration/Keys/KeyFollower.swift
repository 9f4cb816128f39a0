internal import ClusterConfiguration
package import CommandLineKit
internal import HTTPText
internal import JSONText
internal import Tokens

/// Keeps a file with an issuer's public keys equal to the set that the issuer publishes.
///
/// Only a set with a usable key replaces the file, in one step. After a failure, the old file stays.
package struct KeyFollower {
    /// The outcome of one fetch.
    package enum Outcome: Sendable {
        /// The file has these keys, by the names of their algorithms, and others that nodes skip.
        case replaced([String], skipped: [String])
        /// The file had the present keys already.
        case unchanged
        /// The file is as it was.
        case failed(CommandError)
    }

    private static let patience = Duration.seconds(10)
    private static let tagLimit = 256

    private let fetch: KeyFetch
    private let file: String
    private var schedule: KeySchedule
    /// The last document, if the server has named its version.
    private var tagged: (tag: String, document: [UInt8])?

    /// - Parameter interval: The seconds between fetches, instead of what the server asks for.
    package init(_ source: KeySource, into file: String, every interval: Int? = nil) {
        fetch = KeyFetch(source: source, bodyLimit: TokenKeyText.limit)
        self.file = file
        schedule = KeySchedule(every: interval)
    }

    /// Fetches the keys and replaces the file if they have changed.
    ///
    /// - Returns: The outcome, and the seconds until the next fetch.
    package mutating func refresh() -> (outcome: Outcome, seconds: Int) {
        do throws(CommandError) {
            let present = readFile(file, upTo: TokenKeyText.limit + 1)
            let known = tagged.flatMap { $0.document == present ? $0.tag : nil }
            let response = try fetch.response(unlessTagged: known, within: KeyFollower.patience)
            let outcome = try apply(response, known: known, over: present)
            return (outcome, schedule.wait(after: response))
        } catch {
            return (.failed(error), schedule.waitAfterFailure())
        }
    }

    private mutating func apply(
        _ response: ServerResponse, known: String?, over present: [UInt8]?
    ) throws(CommandError) -> Outcome {
        if response.status == 304, known != nil { return .unchanged }
        guard response.status == 200 else { throw refusal(response) }
        let contents = try contents(of: response.body)
        guard !contents.keys.isEmpty else {
            throw CommandError(
                .badData, "the document of \(fetch.source.text) is a set without keys",
                fix: "if the issuer has revoked all of its keys, end this command, and write this "
                    + "set to \(file)")
        }
        if response.body != present { try writeFile(file, response.body, mode: 0o644) }
        let tag = response.values(of: "etag").first { $0.utf8.count <= KeyFollower.tagLimit }
        tagged = tag.map { ($0, response.body) }
        if response.body == present { return .unchanged }
        return .replaced(contents.keys.map(\.algorithm.rawValue), skipped: contents.skipped)
    }

    private func contents(
        of document: [UInt8]
    ) throws(CommandError) -> TokenKeyText.Contents {
        do throws(TokenKeyText.Failure) {
            return try TokenKeyText().contents(of: document, named: nil)
        } catch {
            if let address = KeyFollower.keySetAddress(in: document) {
                throw CommandError(
                    .badData, "\(fetch.source.text) describes an issuer and has no keys",
                    fix: "follow its jwks_uri: \(address)")
            }
            throw CommandError(
                .badData, "the document of \(fetch.source.text) \(error.problem)",
                fix: "use the issuer's JWKS address, its jwks_uri")
        }
    }

    /// The `jwks_uri` of a discovery document (OpenID Connect Discovery 1.0, section 3).
    private static func keySetAddress(in document: [UInt8]) -> String? {
        let reader = JSONReader(maximumBytes: TokenKeyText.limit, maximumDepth: 16)
        let address = try? reader.read(document) { node in
            node.members?.first { $0.name == "jwks_uri" }?.value.string
        }
        return address ?? nil
    }

    private func refusal(_ response: ServerResponse) -> CommandError {
        let target = response.values(of: "location").first
        return CommandError(
            .unavailable, "\(fetch.source.text) answered \(response.status)",
            fix: target.map { "follow the address that it names: \($0.prefix(200))" }
                ?? "check the address")
    }
}
