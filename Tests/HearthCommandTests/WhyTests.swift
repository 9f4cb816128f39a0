import DataTree
import JSONText
import SyncProtocol
import Testing

@testable import ClusterAdministration
@testable import HearthCommand

@Suite struct WhyTests {
    private func operation(_ sequence: Int, at milliseconds: Int, _ text: String)
        -> LocatedOperation
    {
        var write = LocatedOperation.LocatedWrite()
        (write.path, write.kind, write.text) = ("/a", "value", text)
        var operation = LocatedOperation()
        (operation.milliseconds, operation.writer, operation.origin) = (milliseconds, "1", "2a")
        (operation.sequence, operation.member, operation.writes) = (sequence, "n1", [write])
        return operation
    }

    private func explanation() throws -> LocationExplanation {
        var register = LocationReport.Register()
        (register.path, register.name, register.stamp) = ("/a", "value", "s")
        var first = operation(1, at: 1_000, "1")
        first.user = "secret:5f0c96a1"
        var later = operation(2, at: 2_000, "2")
        (later.user, later.rules) = ("ada", "digest")
        var report = LocationReport()
        (report.node, report.shown, report.stableMilliseconds) = ("n1", "2", 1_500)
        (report.operations, report.registers) = ([first, later], [register])
        return LocationExplanation(of: try Path("/a"), report)
    }

    /// The members of the object at these paths.
    private func members(limit: Int, _ paths: String...) throws -> [Value] {
        let value = try JSONReader().parse(try explanation().json(limit: limit))
        return try paths.map { value[try Path($0)] }
    }

    @Test func `the object names the winner over each write, and the registers`() throws {
        #expect(
            try members(limit: 20, "node", "shows", "omitted") == [
                .string("n1"), .string("2"), .integer(0),
            ])
        #expect(
            try members(
                limit: 20, "writes/0/lostTo/sequence", "writes/0/isStable", "writes/0/uid",
                "writes/0/rules", "writes/0/writes/0/text") == [
                    .integer(2), .boolean(true), .null, .null, .string("1"),
                ])
        #expect(
            try members(limit: 20, "writes/1/lostTo", "writes/1/isStable", "writes/1/uid")
                == [.null, .boolean(false), .string("ada")])
        #expect(
            try members(limit: 20, "writes/0/administrator", "writes/1/administrator")
                == [.string("secret:5f0c96a1"), .null])
        #expect(try members(limit: 20, "registers/0/stamp") == [.string("s")])
    }

    @Test func `the object counts the writes that a limit omits`() throws {
        #expect(
            try members(limit: 1, "omitted", "writes/0/sequence") == [.integer(1), .integer(2)])
    }
}
