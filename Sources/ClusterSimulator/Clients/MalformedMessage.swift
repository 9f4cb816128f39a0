import DataTree
import ReplicaCore

/// Messages that a node has to refuse, each under its id: what is wrong stands before, between or behind what could be
/// read as something else.
enum MalformedMessage {
    /// The bytes of a message, as they stand in a frame.
    static func draw(id: UInt64, _ random: inout SplitMix64) -> [UInt8] {
        var writer = MessagePackWriter()
        switch random.index(below: 5) {
        case 0:
            // Elements are missing.
            appendHead("put", 2, id, to: &writer)
        case 1:
            // A number is no path; what follows it looks like a message.
            appendHead("put", 4, id, to: &writer)
            writer.append(UInt64(7))
            appendHead("ping", 2, id + 1_000_000, to: &writer)
        case 2:
            appendHead("nonsense", 4, id, to: &writer)
            writer.append("a/b")
            writer.appendNil()
        case 3:
            // There is one element too many, and it is a list of lists.
            appendHead("get", 5, id, to: &writer)
            writer.append("a")
            writer.appendMapHead(0)
            writer.appendArrayHead(2)
            writer.appendArrayHead(0)
            writer.append(true)
        default:
            // No key has such a character.
            appendHead("put", 4, id, to: &writer)
            writer.append("a/b#c")
            writer.append("text")
        }
        return writer.bytes
    }

    private static func appendHead(
        _ name: String, _ count: Int, _ id: UInt64, to writer: inout MessagePackWriter
    ) {
        writer.appendArrayHead(count)
        writer.append(name)
        writer.append(id)
    }
}
