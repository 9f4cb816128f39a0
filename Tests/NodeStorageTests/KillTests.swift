import Glibc
import NodeStorage
import Storage
import Store
import SyncProtocol
import Synchronization
import Testing

@Suite struct `After a kill` {
    @Test(arguments: [Synchronization.full, .normal], [200, 1777])
    func `all turns reported as committed are stored`(
        mode: Synchronization, commits: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let (log, reported) = (folder.log, folder.file("reported"))
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                log = log as String, reported = reported as String,
                modeName = mode.rawValue as String, commits
            ] in
            let mode = try #require(Synchronization(rawValue: modeName))
            let storage = try StorageThread(
                owning: NodeStore(SQLiteTables(path: log, synchronization: mode)))
            let report = open(reported, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            let count = Atomic(0)
            var sequence: UInt64 = 0
            // Strikes while the thread is in the middle of commits: turns wait for it all the time.
            while count.load(ordering: .relaxed) < commits {
                guard storage.backlog < 50 else {
                    sched_yield()
                    continue
                }
                sequence += 1
                storage.commit([`A storage thread`.turn(sequence, size: 2000)]) {
                    [sequence] result in
                    guard case .success = result else { exit(1) }
                    withUnsafeBytes(of: sequence) { _ = write(report, $0.baseAddress, $0.count) }
                    count.add(1, ordering: .relaxed)
                }
            }
            kill(getpid(), SIGKILL)
        }
        let last = try lastReported(reported)
        try SQLiteTables(path: log).check()
        let batches = try `A storage thread`.batches(at: log)
        #expect(last >= commits)
        #expect(batches.count >= last)
        #expect(batches == Array(1...UInt64(batches.count)))
        #expect(try `A storage thread`.clockBound(at: log) == UInt64(batches.count))
    }

    /// The largest sequence in the report; the last entry may be cut.
    private func lastReported(_ path: String) throws -> Int {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var sequences = [UInt64](repeating: 0, count: 10_000)
        let count = sequences.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        try #require(count > 0)
        return Int(sequences.max() ?? 0)
    }
}
