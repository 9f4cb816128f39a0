import HTTPText
import Testing

@testable import ClusterAdministration

/// When the keys of an issuer are fetched again.
@Suite struct KeyScheduleTests {
    private static func response(_ fields: String...) -> ServerResponse {
        var reader = ResponseReader(bodyLimit: 10)
        let lines = ["HTTP/1.1 304 Not Modified"] + fields
        let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        guard let response = try? reader.read(bytes) else {
            preconditionFailure("\(fields) are no head")
        }
        return response
    }

    private static let answers: [(fields: [String], seconds: Int)] = [
        ([], 300), (["Cache-Control: public"], 300), (["Cache-Control: max-age=600"], 600),
        (["Cache-Control: public, Max-Age=900, must-revalidate, no-transform"], 900),
        (["Cache-Control: max-age=600", "Age: 100"], 500),
        (["Cache-Control: max-age=600", "Age: 700"], 60),
        (["Cache-Control: max-age=15, stale-while-revalidate=15"], 60),
        (["Cache-Control: max-age=19845"], 3_600),
        (["Cache-Control: max-age=99999999999999999999"], 300),
        (["Cache-Control: max-age=-5"], 300), (["Cache-Control: no-cache"], 60),
        (["Cache-Control: no-store, max-age=600"], 60),
        (["Cache-Control: max-age=900", "Cache-Control: max-age=600"], 600),
    ]

    @Test(arguments: KeyScheduleTests.answers)
    func `Cache-Control decides between a minute and an hour`(fields: [String], seconds: Int) {
        var schedule = KeySchedule()
        var reader = ResponseReader(bodyLimit: 10)
        let head = (["HTTP/1.1 304 Not Modified"] + fields).joined(separator: "\r\n")
        let response = try? reader.read(Array((head + "\r\n\r\n").utf8))
        #expect(response.map { schedule.wait(after: $0) } == seconds)
    }

    @Test func `failures double the wait up to a minute, and an answer ends that`() {
        var schedule = KeySchedule()
        let waits = (0..<9).map { _ in schedule.waitAfterFailure() }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        #expect(schedule.wait(after: Self.response()) == 300)
        #expect(schedule.waitAfterFailure() == 1)
        for _ in 0..<1_000 { _ = schedule.waitAfterFailure() }
        #expect(schedule.waitAfterFailure() == 60)
    }

    @Test func `an interval replaces what the server asks for`() {
        var schedule = KeySchedule(every: 5)
        #expect(schedule.wait(after: Self.response("Cache-Control: max-age=600")) == 5)
        #expect((0..<5).map { _ in schedule.waitAfterFailure() } == [1, 2, 4, 5, 5])
    }
}
