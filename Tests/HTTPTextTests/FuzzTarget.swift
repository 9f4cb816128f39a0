// The entry of libFuzzer; `scripts/fuzz http` builds it with the reader, and without the tests.
import Glibc

/// Writes the raw requests of the tests into the corpus, whose folder is the program's last argument.
#if HEARTH_FUZZ
    @_cdecl("LLVMFuzzerInitialize")
#endif
public func writeCorpus(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
) -> CInt {
    let folder = String(cString: arguments.pointee[Int(count.pointee) - 1])
    for (index, raw) in RawRequest.all.enumerated() {
        guard let file = fopen("\(folder)/seed-\(index)", "w") else { continue }
        let bytes = raw.bytes + RawRequest.second
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }
    return 0
}

/// Stops the fuzzer at bytes for which an invariant does not hold.
#if HEARTH_FUZZ
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func test(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let violation = Invariants.violation(for: bytes) { fatalError(violation) }
    return 0
}
