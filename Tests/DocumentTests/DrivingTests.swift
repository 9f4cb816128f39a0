import Foundation
import Testing

/// The page on driving a replica is complete, and its driver is the tested one.
@Suite struct DrivingTests {
    private static let page = "Sources/ReplicaCore/driving.md"

    @Test func `the page shows the driver that the tests run`() throws {
        let code = try Repository.text(Self.page).components(separatedBy: "```swift\n")
        #expect(code.count == 2)
        let driver = try Repository.text("Tests/ReplicaCoreTests/Driving/SmallDriver.swift")
        #expect(code[1].components(separatedBy: "```")[0] == driver)
    }

    @Test(arguments: ["Input", "Output"])
    func `the page has each case once`(type: String) throws {
        let interface = try Repository.text("Sources/ReplicaCore/Interface.swift")
        let start = try #require(interface.range(of: "public enum \(type):"))
        let declaration = interface[start.upperBound...].prefix(while: { $0 != "}" })
        let cases = declaration.matches(of: /\n    case (\w+)/).map { String($0.output.1) }
        #expect(cases.count > 8)

        let tables = TableTests.tables(in: try Repository.text(Self.page))
        let table = try #require(tables.first { $0[0].cells[0] == type })
        let rows = table.dropFirst(2).flatMap { row in
            row.cells[0].matches(of: /`(\w+)`/).map { String($0.output.1) }
        }
        #expect(rows.sorted() == cases.sorted())
    }
}
