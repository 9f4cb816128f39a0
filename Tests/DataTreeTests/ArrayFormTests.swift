import DataTree
import Testing

@Suite struct ArrayFormTests {
    @Test(
        arguments: [
            (["0", "1", "2"], 3), (["1"], 2), (["2"], nil), (["1", "3"], 4), (["0", "4"], nil),
            (["01"], nil), (["0"], 1), (["-1"], nil), (["0", "a"], nil), (["-0"], nil),
            (["0", "-0", "1"], nil), (["0", "1", "2", "03"], nil), ([], nil),
        ] as [([String], Int?)])
    func `children are an array if more than half of its places are taken`(
        keys: [String], length: Int?
    ) throws {
        let value = try Value(members: keys.map { ($0, true) })
        #expect(value.children.arrayLength == length)
    }
}
