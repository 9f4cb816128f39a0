import ClusterSimulator
import Testing

/// The parts of a scenario file, and the errors for wrong files.
@Suite struct ScenarioParserTests {
    private func error(in text: String) -> ScenarioError? {
        do throws(ScenarioError) {
            _ = try Scenario(parsing: text, name: "test")
            return nil
        } catch {
            return error
        }
    }

    @Test func `a whole scenario is read`() throws {
        let scenario = try Scenario(
            parsing: """
                # Simulations/all.scenario
                # Everything that can be said
                # is said.
                cluster  replicas=3 clients=2 durability=interval   # a comment
                network  delay=1ms..20ms loss=0.5% bandwidth=64kB queue=10
                seeds    3..7
                at 1s    partition n1 c1 | n2 n3
                at 1.5s  partition n1 -> n2
                at 2s    clock n2 -1500ms
                at 2s    clock n2 +1h
                at 2s    clock n2 -999999h
                at 2s    clock n2 freezes
                at 2s    clock n2 strobes 20ms
                at 2s    clock n2 runs
                at 2s    disk n2 slow 10ms..1s
                at 2s    disk n2 unreadable
                at 2s    disk n2 works
                at 2s    isolate n3
                at 2s    ring
                at 2s    clog n1 -> n3
                at 2s    flap n3 -> n1
                at 2s    disconnect n1 n2
                at 2s    unclog n1 -> n3
                at 2s    half-open n1 -> n3
                at 2s    lose n1 -> n3 heartbeats
                at 2s    sleep n1
                at 2s    wake n1
                at 2s    cpu n1 slow 20ms..80ms
                at 2s    cpu n1 runs
                at 2s    handles n1 none
                at 2s    handles n1 free
                at 2s    clock n2 sways 300ms every 2s
                at 2s    degrade n1 -> n2 delay=1ms..1s tail=1% loss=2% replay=3% truncate=4%
                at 2s    kill n1
                at 2s    c2 set /rooms/a/title "hello # you"
                at 2s    c1 increment /n 5
                at 5s    heal
                until    30s
                check    replicas-equal, push-keys
                check    stays-live
                """, name: "all")
        #expect(scenario.claim == "Everything that can be said is said.")
        #expect(scenario.seeds == 3...7)
        #expect(scenario.checks == [.replicasEqual, .pushKeys, .staysLive])
    }

    @Test func `a line that is not UTF-8 is refused instead of being rewritten`() {
        let text = Array("check push-keys\nat 1s c1 set /a".utf8) + [0xFF] + Array(" 1".utf8)
        let error = #expect(throws: ScenarioError.self) {
            try Scenario(parsing: text, name: "bytes")
        }
        #expect(error?.problem == "line 2 is not UTF-8")
        #expect(error?.line == 2)
    }

    @Test func `what a scenario does may begin a moment before its end`() throws {
        let text = "at 7999ms crash n1\nuntil 8s\ncheck push-keys"
        #expect(throws: Never.self) { try Scenario(parsing: text, name: "late") }
    }

    @Test(arguments: [
        (
            "cluster replicas=3\nnetwork delay=1ms looss=1%", "unknown word \"looss\" at 2:19",
            "did you mean \"loss\"?"
        ),
        ("clutser replicas=3", "unknown word \"clutser\" at 1:1", "did you mean \"cluster\"?"),
        (
            "network delay=20ms..1ms", "found \"20ms..1ms\" at 1:15",
            "expected the shorter time first"
        ),
        (
            "network loss=101%", "found \"101%\" at 1:14",
            "expected a chance such as 1% or 0.05%"
        ),
        ("cluster replicas=12", "found \"12\" at 1:18", "expected a number from 1 to 9"),
        ("at 1s crash n4", "found \"n4\" at 1:13", "expected a node from n1 to n3"),
        ("at 1s crush n1", "unknown word \"crush\" at 1:7", "did you mean \"crash\"?"),
        ("at 1s heal now", "found \"now\" at 1:12", "expected the end of the line"),
        (
            "at 1s partition n1", "found the end of the line at 1:19",
            "expected \"|\" and the other side of the partition"
        ),
        (
            "check replicas-eqaul", "unknown word \"replicas-eqaul\" at 1:7",
            "did you mean \"replicas-equal\"?"
        ),
        ("cluster durability=comit", "unknown word \"comit\" at 1:20", "did you mean \"commit\"?"),
        ("at 1s clog n1 n2", "found \"n2\" at 1:15", "expected \"->\" and a node"),
        ("at 1s clog n1 -> n1", "found \"n1\" at 1:18", "expected another node"),
        (
            "at 1s degrade n1 -> n2 los=1%", "unknown word \"los\" at 1:24",
            "did you mean \"loss\"?"
        ),
        (
            "at 1s lose n1 -> n2 heartbats", "unknown word \"heartbats\" at 1:21",
            "did you mean \"heartbeats\"?"
        ),
        ("at 1s cpu n1 slwo", "unknown word \"slwo\" at 1:14", "did you mean \"slow\"?"),
        ("at 1s handles n1 nine", "unknown word \"nine\" at 1:18", "did you mean \"none\"?"),
        (
            "at 1s clock n1 sways 300ms 2s", "found \"2s\" at 1:28",
            "expected \"every\" and a time"
        ),
        (
            "at 1s clock n1 sways 300ms every 2us", "found \"2us\" at 1:34",
            "expected a time from 1ms to 1h"
        ),
        ("at 1s disk n1 slwo", "unknown word \"slwo\" at 1:15", "did you mean \"slow\"?"),
        (
            "cluster replicas=1\nat 1s rot n1", "found \"n1\" at 2:11",
            "expected a node with peers, as in replicas=2"
        ),
        (
            "cluster replicas=1\nat 1s duplicate-node n1", "found \"n1\" at 2:22",
            "expected a node with peers, as in replicas=2"
        ),
        (
            "cluster replicas=1\nat 1s disk n1 rots", "found \"rots\" at 2:15",
            "expected something that a node without peers can stand"
        ),
        (
            "at 9s crash n1\nuntil 8s", "found \"9s\" at 1:4",
            "expected a time before the end of the scenario, \"until 8s\""
        ),
        (
            "until 8s\nat 8s crash n1", "found \"8s\" at 2:4",
            "expected a time before the end of the scenario, \"until 8s\""
        ),
        (
            "at 7s..8s c1 set /a 1\nuntil 8s", "found \"7s..8s\" at 1:4",
            "expected a time before the end of the scenario, \"until 8s\""
        ),
        ("until soon", "found \"soon\" at 1:7", "expected a time such as 20ms or 1.5s"),
    ])
    func `a wrong word is named with its place and the right one`(
        text: String, problem: String, fix: String
    ) {
        let lines = text.hasPrefix("check") ? text : text + "\ncheck push-keys"
        let error = error(in: lines)
        #expect(error?.problem == problem)
        #expect(error?.fix == fix)
        #expect(error?.description == "\(problem): \(fix)")
    }

    @Test func `a scenario that claims nothing is refused`() {
        #expect(error(in: "cluster replicas=3")?.fix.contains("check") == true)
    }

    @Test func `a path that no tree can have is refused with its place`() {
        let error = error(in: "at 1s c1 set /a.b 5\ncheck push-keys")
        #expect(error?.line == 1)
        #expect(error?.column == 14)
    }
}
