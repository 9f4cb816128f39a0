import DataTree
import JSONText
import Testing

@Suite struct JSONNodeTests {
    private func read<Result>(_ text: String, _ body: (JSONNode) -> Result) throws -> Result {
        try JSONReader().read(Array(text.utf8), body)
    }

    @Test func `members are found by name, whatever stands before them`() throws {
        let text =
            #"{"a":{"x":[1,2.5,{"t":0}],"y":"z"},"b":[],"n":-7,"s":"t\"ä","f":false,"z":null}"#
        try read(text) { root in
            #expect(root["a"]?["y"]?.string == "z")
            #expect(root["n"]?.integer == -7)
            #expect(root["s"]?.string == "t\"ä")
            #expect(root["f"]?.boolean == false)
            #expect(root["z"] != nil && root["z"]?.string == nil && root["z"]?["q"] == nil)
            #expect(root["x"] == nil && root["a"]?["t"] == nil)
            #expect(root["b"]?.elements?.isEmpty == true)
            let numbers = root["a"]?["x"]?.elements
            #expect(numbers?.map { $0.integer } == [1, nil, nil])
            #expect(numbers?[2]["t"]?.integer == 0)
            #expect(numbers?[0].elements == nil && root.isObject && root["b"]?.isObject == false)
        }
    }

    @Test(arguments: [("1.0", 1), ("1e3", 1_000), ("-0", 0), ("9223372036854775807", Int64.max)])
    func `whole numbers are integers however they are written`(text: String, number: Int64) throws {
        try read(text) { #expect($0.integer == number) }
    }

    @Test(arguments: ["1.5", "9223372036854775808", "1e30", "true", "\"1\""])
    func `anything else is no integer`(text: String) throws {
        try read(text) { #expect($0.integer == nil) }
    }

    @Test func `of equal names the last wins`() throws {
        try read(#"{"a":1,"a":{"b":2},"a":3}"#) { #expect($0["a"]?.integer == 3) }
    }

    @Test func `data is read in import form, and updates by paths`() throws {
        let text = #"{"v":{".value":1,".priority":2},"u":{"a/b":null,"c":[5]},"w":{"a.b":1}}"#
        try read(text) { root in
            #expect(try! root["v"]?.value() == Value.integer(1).prioritized(.integer(2)))
            let update = try! root["u"]?.update()
            #expect(update?.map(\.path.description) == ["/a/b", "/c"])
            #expect(update?.map(\.value.isNull) == [true, false])
            #expect(throws: DataError.self) { try root["w"]?.value() }
            #expect(throws: DataError.self) { try root["w"]?.update() }
            #expect(throws: DataError.self) { try root.value() }
        }
    }

    @Test func `text that is not JSON is refused`() {
        #expect(throws: JSONError.self) { try read(#"{"a":1"#) { _ in } }
        #expect(throws: JSONError.self) { try JSONReader().read([0x22, 0xFF, 0x22]) { _ in } }
    }
}
