import DataTree
import JSONText
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The steps in the report of real nodes.
@Suite struct RecordedCourseTests {
    private struct Report {
        let sentences: [String]
        /// The texts of the steps; the marked one begins with `> `.
        let steps: [String]
        let events: [Double]

        init(of story: RecordedStory) throws {
            let run = try story.run()
            let json = run.record(
                trees: story.shown, run.evaluate(trees: story.shown), seed: 1, repeatedBy: "soak"
            ).json
            let record = try JSONReader().parse(json)
            sentences = Report.list(record, "sentences").compactMap(\.string)
            let entries = Report.list(record, "steps")
            steps = entries.map { entry in
                let isMarked = entry[Key(index: 2)].number?.asDouble == 1
                return (isMarked ? "> " : "") + (entry[Key(index: 1)].string ?? "")
            }
            events = entries.map { $0[Key(index: 0)].number?.asDouble ?? -1 }
        }

        private static func list(_ record: Value, _ name: String) -> [Value] {
            record[Key(unchecked: name)].children.map(\.value)
        }
    }

    @Test func `a run that passes has no steps`() throws {
        #expect(try Report(of: RecordedStory()).steps.isEmpty)
    }

    @Test func `a node that loses what was on its disk is marked`() throws {
        var story = RecordedStory()
        story.forgetLast(at: 1)
        let report = try Report(of: story)
        #expect(
            report.steps == [
                "c1 issues: increment /counter by 3",
                "n2 executes “increment /counter by 3” of c1 as 2#2", "n2 applies 2#2",
                "2#2 is on the disk of n2", "n1 applies 2#2", "2#2 is on the disk of n1",
                "n3 applies 2#2", "2#2 is on the disk of n3",
                "c1 receives the answer to “increment /counter by 3”: acknowledged",
                "> n2 starts again without 2#2, although it was on its disk",
                "n2 lacks 2#2 in the end",
            ], "\(report.sentences)")
        #expect(report.events == report.events.sorted())
    }

    @Test func `a read without an earlier write of its client is marked`() throws {
        var story = RecordedStory()
        story.change(at: 1) { event in
            guard case .served(let session, let frame, _, _) = event,
                case .message(let message)? = try? FrameReader<ClientMessage>
                    .messages(in: frame).first,
                case .get = message.request
            else { return }
            event = .served(
                session: session, frame: frame, before: VersionVector(), after: VersionVector())
        }
        let report = try Report(of: story)
        #expect(
            report.steps.filter { $0.hasPrefix("> ") } == [
                "> n2 executes “get /pair” of c1, and lacks what it had written by "
                    + "“push /list/-OhGqNTl0000000000AB”"
            ], "\(report.steps)")
        #expect(report.sentences.last?.contains("The first wrong step is at 0.0") == true)
    }
}

extension Value {
    fileprivate var string: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
