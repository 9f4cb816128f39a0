import DataTree
import JSONText
import Testing

@Suite struct JSONWriterTests {
    private func value(_ text: String) throws -> Value { try JSONReader().parse(text) }

    @Test(arguments: [
        ("null", "null"), ("true", "true"), ("false", "false"), ("12.50", "12.5"),
        (#"{"b":1,"a":{"c":"x"}}"#, #"{"a":{"c":"x"},"b":1}"#),
        (#"{"0":"a","1":"b"}"#, #"["a","b"]"#),
        (#"{"1":"x"}"#, #"[null,"x"]"#),
        (#"{"2":"x"}"#, #"{"2":"x"}"#),
        (#"{"1":"x","3":"y"}"#, #"[null,"x",null,"y"]"#),
        (#"{"0":"x","4":"y"}"#, #"{"0":"x","4":"y"}"#),
        (#"{"01":"x"}"#, #"{"01":"x"}"#),
        (#"{"0":1,"00":2}"#, #"{"0":1,"00":2}"#),
        (#"{"-1":"x"}"#, #"{"-1":"x"}"#),
        (#"{"-0":"x"}"#, #"{"-0":"x"}"#),
        (#"{"0":"x","a":"y"}"#, #"{"0":"x","a":"y"}"#),
        (#"{"a":[[1],{"1":2}]}"#, #"{"a":[[1],[null,2]]}"#),
        (#"{".value":5,".priority":1}"#, "5"),
        (#"{"0":{".value":5,".priority":1},".priority":"p"}"#, "[5]"),
    ])
    func `plain form renders lists and leaves out priorities`(
        text: String, expected: String
    ) throws {
        #expect(JSONWriter.text(of: try value(text)) == expected)
    }

    @Test(arguments: [
        (#"["a","b"]"#, #"{"0":"a","1":"b"}"#),
        (#"{".priority":1,".value":5}"#, #"{".value":5,".priority":1}"#),
        (
            #"{".priority":"p","a":{".value":true,".priority":-2}}"#,
            #"{"a":{".value":true,".priority":-2},".priority":"p"}"#
        ),
        (
            #"{"t":{".sv":"timestamp"},"n":{".sv":{"increment":1.5}}}"#,
            #"{"n":{".sv":{"increment":1.5}},"t":{".sv":"timestamp"}}"#
        ),
    ])
    func `export form keeps priorities and has no arrays`(text: String, expected: String) throws {
        #expect(JSONWriter.text(of: try value(text), form: .export) == expected)
    }

    @Test func `pretty layout has a line for each member`() throws {
        let value = try value(#"{"a":[1,null,2],"b":{".value":"x",".priority":3}}"#)
        #expect(
            JSONWriter.text(of: value, layout: .pretty) == """
                {
                  "a": [
                    1,
                    null,
                    2
                  ],
                  "b": "x"
                }
                """)
        #expect(
            JSONWriter.text(of: value, form: .export, layout: .pretty) == """
                {
                  "a": {
                    "0": 1,
                    "2": 2
                  },
                  "b": {
                    ".value": "x",
                    ".priority": 3
                  }
                }
                """)
    }

    @Test func `strings have only the escapes that JSON needs`() {
        let text = "\u{0}\u{8}\t\n\u{B}\u{C}\r\u{1F} \"\\/\u{7F}é\u{2028}\u{1F435}"
        #expect(
            JSONWriter.text(of: .string(text))
                == "\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f \\\"\\\\/\u{7F}é\u{2028}\u{1F435}\"")
    }

    @Test func `a character is escaped wherever it stands in a string`() throws {
        for position in 0..<40 {
            for special in ["\"", "\\", "\n", "!", "\u{80}", "]"] {
                var text = String(repeating: "x", count: 40)
                let index = text.index(text.startIndex, offsetBy: position)
                text.replaceSubrange(index...index, with: special)
                let written = JSONWriter.text(of: .string(text))
                let length = written.unicodeScalars.count
                #expect(length == (["\"", "\\", "\n"].contains(special) ? 43 : 42))
                #expect(try value(written) == .string(text))
            }
        }
    }

    @Test func `keys are escaped as strings are`() throws {
        let text = #"{"a\"b\\c":1}"#
        #expect(JSONWriter.text(of: try value(text)) == text)
    }

    @Test func `parts of any size make the same text as the whole`() {
        var random = SplitMix64(state: 3)
        for size in [1, 2, 7, 64, 1000] {
            let value = Value.random(depth: 5, using: &random)
            var writer = JSONWriter(value, form: .export, layout: .pretty)
            var parts: [UInt8] = []
            var part: [UInt8] = []
            while writer.write(to: &part, atLeast: size) {
                #expect(part.count >= size)
                #expect(part.count < size + 400)
                parts += part
                part.removeAll(keepingCapacity: true)
            }
            parts += part
            #expect(parts == JSONWriter.bytes(of: value, form: .export, layout: .pretty))
        }
    }

    @Test(arguments: ["x", "é", "\n", "a\"", "😀"], [16_384, 16_385, 50_001])
    func `a long string is written in parts`(character: String, bytes: Int) throws {
        let text = String(repeating: character, count: bytes / character.utf8.count) + "end"
        let member = Value.string(text).prioritized(.integer(2))
        var both = Children()
        both[Key(unchecked: "a")] = member
        both[Key(unchecked: "b")] = .string(text)
        for value in [.string(text), member, Value(both)] {
            var writer = JSONWriter(value, form: .export)
            var all: [UInt8] = []
            var part: [UInt8] = []
            while writer.write(to: &part, atLeast: 5_000) {
                #expect((5_000..<40_000).contains(part.count))
                all += part
                part = []
            }
            #expect(part.count < 40_000)
            all += part
            #expect(all == JSONWriter.bytes(of: value, form: .export))
            #expect(try JSONReader().parse(all) == value)
        }
    }

    @Test func `a writer appends to what is there`() {
        var bytes = Array("x=".utf8)
        var writer = JSONWriter(.integer(1))
        let isUnfinished = writer.write(to: &bytes)
        #expect(!isUnfinished)
        #expect(bytes == Array("x=1".utf8))
    }
}
