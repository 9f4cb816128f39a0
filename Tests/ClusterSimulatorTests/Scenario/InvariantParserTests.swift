import ClusterSimulator
import Testing

/// Data, clients and claims of a scenario, and the errors for wrong lines.
@Suite struct InvariantParserTests {
    /// Every statement of this kind.
    static let text = """
        # What users say is kept.
        load start.json
        mix 5 transfer /accounts/(a|b)/balance (1..20) in-transaction
        mix 2 transfer /accounts/(a|b)/balance 5
        mix 1 set /jobs/(1..20)/state ("open"|"done")
        mix 1 set /jobs/1 {"state":"open","tries":(0..3)}
        mix 1 push /log "hello  you"
        mix 3 increment /visits/(1..2) (-5..5)
        mix 1 remove /jobs/(1..20)
        mix 4 get /jobs
        seeds 1..10
        at 3s n2 reads /accounts expect {"a":{"balance":10}}
        at 4s n1 reads /nothing expect null
        until 10s
        check replicas-equal
        check every /accounts/$id/balance >= 0
        check every /jobs/$job : data.child('state').val() == 'open  now' || $job < '3'
        check every /title == "Hall"
        check count /jobs <= 10
        check sum /accounts/$id/balance == 10.5

        """

    private static func read(_ text: String) throws(ScenarioError) -> Scenario {
        try Scenario(parsing: Array(text.utf8), name: "test") { path in
            path == "start.json" ? Array("{\"accounts\":{\"a\":{\"balance\":10}}}".utf8) : nil
        }
    }

    @Test func `what a scenario says of its own is written as it was read`() throws {
        #expect(try Self.read(Self.text).text == Self.text)
    }

    @Test(arguments: [
        ("load", "found the end of the line at 1:5", "expected the path of a JSON file"),
        ("load other.json", "cannot read the file \"other.json\" at 1:6", "from the folder of"),
        ("mix", "found the end of the line at 1:4", "expected a number from 1 to 1000"),
        ("mix 1 sett /a 1", "unknown word \"sett\" at 1:7", "did you mean \"set\"?"),
        ("mix 1 set / 1", "found \"/\" at 1:11", "expected a path such as /rooms/a"),
        ("mix 1 set /(a|b.c) 1", "at 1:11", "without . # $"),
        ("mix 1 set /(a||b) 1", "found \"/(a||b)\" at 1:11", "expected 1 to 1000 alternatives"),
        ("mix 1 set /a (5..1)", "found \"(5..1)\" at 1:14", "expected the smaller number first"),
        ("mix 1 set /a hello", "found \"hello\" at 1:14", "expected a value such as \"hello\""),
        ("mix 1 increment /a (x|1)", "found \"(x|1)\" at 1:20", "expected a number"),
        (
            "mix 1 transfer /(a|b) 1 in-transactoin", "unknown word \"in-transactoin\" at 1:25",
            "did you mean \"in-transaction\"?"
        ),
        (
            "clients protocol=1\nmix 1 transfer /(a|b) 1 in-transaction", "found \"1\" at 2:5",
            "expected no client of \"protocol\" beside transactions"
        ),
        ("at 1s n2 read /a expect 1", "unknown word \"read\" at 1:10", "did you mean \"reads\"?"),
        ("at 1s n4 reads /a expect 1", "found \"n4\" at 1:7", "expected a node from n1 to n3"),
        ("at 1s n1 reads /a expect", "found the end of the line at 1:25", "expected a value"),
        ("check evrey /a >= 0", "unknown word \"evrey\" at 1:7", "did you mean \"every\"?"),
        ("check every a >= 0", "found \"a\" at 1:13", "expected places such as /accounts/$id"),
        ("check every /$ >= 0", "found \"/$\" at 1:13", "expected a name behind $, as in $id"),
        ("check every /$a/$a >= 0", "found \"/$a/$a\" at 1:13", "expected another name"),
        ("check every /a.b >= 0", "at 1:13", "without . # $"),
        ("check every /a", "found the end of the line at 1:15", "expected one of == !="),
        ("check every /a => 0", "found \"=>\" at 1:16", "expected one of == !="),
        ("check every /a >= {\"a\":1}", "at 1:19", "expected a number, a text, true or false"),
        ("check every /a >= true", "right operand", "say what holds of data, root and constants"),
        ("check every /a :", "found the end of the line at 1:17", "expected an expression"),
        ("check every /a : data.val( > 0", "at 1:", "say what holds of data"),
        ("check every /a : 5", "Expression must evaluate to a boolean. at 1:18", "say what holds"),
        ("check every /$id : $name == 'a'", "Unknown variable '$name'. at 1:20", "root and $id"),
        ("check every /a : auth != null", "no 'auth'. at 1:18", "say what holds of data"),
        ("check every /a : newData.val() > 0", "newData", "say what holds of data"),
        ("check count /a <= ten", "found \"ten\" at 1:19", "expected a number"),
        ("check sum /a 5", "found \"5\" at 1:14", "expected one of == !="),
        ("check sum /a == 5 6", "found \"6\" at 1:19", "expected the end of the line"),
    ])
    func `a wrong line is named with its place and the right one`(
        text: String, problem: String, fix: String
    ) throws {
        let error = #expect(throws: ScenarioError.self) {
            _ = try Self.read(text + "\ncheck push-keys")
        }
        #expect(error?.problem.contains(problem) == true, "\(error?.problem ?? "")")
        #expect(error?.fix.contains(fix) == true, "\(error?.fix ?? "")")
        #expect(error?.line == text.split(separator: "\n").count)
    }

    @Test func `text that somebody mistyped is refused or read, and never ends the program`() {
        let bytes = Array(Self.text.utf8)
        var state: UInt64 = 7
        func number(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }
        var readCount = 0
        for _ in 0..<20_000 {
            var mistyped = bytes
            for _ in 0...number(below: 3) {
                let index = number(below: mistyped.count - 30)
                switch number(below: 4) {
                case 0: mistyped[index] = UInt8(32 + number(below: 95))
                case 1: mistyped.remove(at: index)
                case 2: mistyped.removeSubrange(index..<index + number(below: 30))
                default: mistyped.insert(bytes[number(below: bytes.count)], at: index)
                }
            }
            guard let scenario = try? Self.read(String(decoding: mistyped, as: UTF8.self)) else {
                continue
            }
            readCount += 1
            let again = try? Self.read(scenario.text)
            #expect(again?.text == scenario.text, "\(scenario.text)")
        }
        #expect((200...19_000).contains(readCount), "\(readCount) of 20000 were read")
    }
}
