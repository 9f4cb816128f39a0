import Testing

@testable import CommandLineKit

@Suite struct ProgressTests {
    @Test func `bytes are shown in MB, with the speed and the time that is left`() {
        let line = ProgressLine(of: 30_000_000, ProgressLine.bytes)
        let text = line.text(10_000_000, after: 5)
        #expect(text.hasSuffix(" 10.0 of 30.0 MB, 2.0 MB/s, 10 s left"))
        #expect(text.hasPrefix("██████████░"))
        #expect(line.text(30_000_000, after: 15).hasSuffix(" 30.0 of 30.0 MB, 2.0 MB/s"))
    }

    @Test func `a long time is shown in minutes, and none before anything is done`() {
        let line = ProgressLine(of: 1_000_000_000, ProgressLine.bytes)
        #expect(line.text(1_000_000, after: 1).hasSuffix("1.0 MB/s, 16 min left"))
        #expect(line.text(0, after: 1).hasSuffix("0.0 of 1000.0 MB, 0.0 MB/s"))
    }

    @Test func `other things are counted`() {
        #expect(ProgressLine(of: nil, "pushed").text(30, after: 10) == "30 pushed, 3/s")
    }

    @Test func `less than ten a second has a digit behind the point, unless that is zero`() {
        #expect(ProgressLine(of: nil, "seeds").text(7, after: 2) == "7 seeds, 3.5/s")
        #expect(ProgressLine(of: nil, "seeds").text(43, after: 4) == "43 seeds, 10/s")
    }

    @Test func `work that ends after a time shows the time that is left, however much is done`() {
        let line = ProgressLine(seconds: 600, "seeds")
        let text = line.text(40, after: 20)
        #expect(text.hasSuffix(" 40 seeds, 2/s, 9 min left"))
        #expect(text.hasPrefix("█░"))
        #expect(line.text(900, after: 600).hasSuffix("█ 900 seeds, 1.5/s"))
    }
}
