import Foundation
import Testing

/// The changelog and the program agree on the releases.
@Suite struct ReleaseTests {
    /// The released versions in the changelog with their dates, newest first.
    private static func releases() throws -> [(version: String, date: String)] {
        try Repository.text("CHANGELOG.md")
            .matches(of: /\n## (\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)/)
            .map { (String($0.output.1), String($0.output.2)) }
    }

    @Test func `the program shows the newest released version and its date`() throws {
        let version = try Repository.text("Sources/ClusterAdministration/Version.swift")
        let newest = try #require(try Self.releases().first)
        #expect(version.contains("let hearthVersion = \"\(newest.version)\""))
        #expect(version.contains("let hearthDate = \"\(newest.date)\""))
    }

    @Test func `releases are in descending order`() throws {
        let releases = try Self.releases()
        #expect(releases.count >= 3)
        for (newer, older) in zip(releases, releases.dropFirst()) {
            #expect(newer.date >= older.date)
            #expect(
                newer.version.compare(older.version, options: .numeric) == .orderedDescending)
        }
    }

    /// The sections of the versions, newest first: after a release, none is called *Unreleased*.
    private static func sections() throws -> [Substring] {
        try Repository.text("CHANGELOG.md").split(separator: "\n## ")
            .filter { $0.contains(/^(?:Unreleased\n|\d+\.\d+\.\d+ \()/) }
    }

    @Test func `at most sixty entries describe the newest version`() throws {
        let newest = try #require(try Self.sections().first)
        #expect((1...60).contains(newest.split(separator: "\n- ").count - 1))
    }

    @Test func `each version has a row of its compatibility`() throws {
        let changelog = try Repository.text("CHANGELOG.md")
        let table = try #require(
            TableTests.tables(in: changelog).first { $0[0].cells[0] == "Version" })
        let versions = try Self.sections().map { String($0.prefix { $0 != " " && $0 != "\n" }) }
        #expect(versions.count >= 3)
        #expect(table.dropFirst(2).map { $0.cells[0] } == versions)
        for row in table.dropFirst(2) {
            let read = row.cells[2].split(separator: ", ").map(String.init)
            #expect(!read.isEmpty && Set(versions).isSuperset(of: read), "\(row.cells)")
        }
    }

    @Test func `the README depends on a product that the package has`() throws {
        let readme = try Repository.text("README.md")
        let package = try Repository.text("Package.swift")
        let product = try #require(
            readme.firstMatch(of: /\.product\(name: "(\w+)", package: "(\w+)"\)/))
        #expect(package.contains("name: \"\(product.output.2)\","))
        #expect(package.contains(".library(name: \"\(product.output.1)\""))
    }
}
