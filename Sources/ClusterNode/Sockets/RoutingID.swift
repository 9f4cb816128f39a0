/// The name under which a router knows a client: 1 to 255 bytes.
///
/// Those that ZeroMQ chooses have five bytes; up to 15 are compared without memory of their own.
enum RoutingID: Hashable {
    case short(UInt64, UInt64)
    case long([UInt8])

    init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count < 16 else {
            self = .long(Array(bytes))
            return
        }
        // The length distinguishes names that differ only in zeros at the end.
        var words = (UInt64(0), UInt64(bytes.count) << 56)
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
        self = .short(words.0, words.1)
    }
}
