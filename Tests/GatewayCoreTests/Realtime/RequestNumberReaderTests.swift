import Testing

@testable import GatewayCore

@Suite struct RequestNumberReaderTests {
    private func number(_ text: String) -> Int64? {
        RequestNumberReader.number(in: Array(text.utf8))
    }

    @Test(
        arguments: [
            (#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/x","d":"\ud83d"}}}"#, 1),
            (#" { "t" : "d" , "d" : { "a" : "p" , "r" : 12 } } "#, 12),
            (#"{"d":{"b":{"d":{"r":5,"x":["}\"",{"r":6}]}},"r":3,"a":"p"},"t":"d"}"#, 3),
            (#"{"d":{"r":-4}}"#, -4), (#"{"d":{"r":1},"d":{"r":2}}"#, 2),
            (#"{"d":{"r":7,"b":"\\\\"}"#, 7), (#"{"d":{"r":8,"#, 8),
        ] as [(String, Int64)])
    func `the number is the member r of d, wherever it is`(text: String, expected: Int64) {
        #expect(number(text) == expected)
    }

    @Test(arguments: [
        "", "{", "\"", "r", "}}}}", "[[[", #"{"d":{"r":1"#, #"{"d":{"r":"1"}}"#, #"{"r":1,"d":{}}"#,
        #"{"d":{"b":{"r":1}}}"#, #"{"c":{"r":1}}"#, #"{"x":{"d":{"r":1}}}"#, #"{"d":[{"r":1}]}"#,
        #"{"d":{"x\":{"r":1}}"#, #"{"d":{"r":99999999999999999999}}"#, #"{"d":"{\"r\":1}"}"#,
    ])
    func `other members and texts that are cut off show none`(text: String) {
        #expect(number(text) == nil)
    }
}
