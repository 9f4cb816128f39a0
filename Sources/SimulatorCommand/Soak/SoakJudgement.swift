internal import ClusterAdministration
internal import ClusterSimulator
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import ReplicaCore
internal import SyncProtocol

/// The verdicts of the simulator's checks on a soak.
struct SoakJudgement {
    /// When which nodes were killed, and when they lost their disks, in microseconds.
    typealias Ends = (kills: [(node: String, time: UInt64)], wipes: [(node: String, time: UInt64)])

    let results: [CheckResult]
    /// The records of nodes and clients.
    let run: RecordedRun
    private var acknowledged = 0
    private var failed = 0
    private var unknown = 0
    private let incarnations: Int

    /// - Throws: when the records of a node cannot be read.
    init(
        of testimonies: [(operations: [RecordedOperation], writer: WriterID?)],
        _ cluster: Cluster, recordsIn folder: String, _ faults: Ends, durability: String,
        by judge: (RecordedRun) -> [CheckResult]
    ) throws(CommandError) {
        let names = cluster.file.nodes.map(\.id)
        var run = RecordedRun(
            nodes: names, clients: testimonies.count,
            durability: Durability(rawValue: durability) ?? .commit)
        for (client, testimony) in testimonies.enumerated() {
            if let writer = testimony.writer { run.record(writer: writer, of: client) }
            for operation in testimony.operations {
                run.add(operation)
                switch operation.outcome {
                case .acknowledged: acknowledged += 1
                case .failed: failed += 1
                case .unknown: unknown += 1
                }
            }
        }
        for (name, time) in faults.kills { run.noteKill(of: names.place(of: name), at: time) }
        for (name, time) in faults.wipes { run.noteLoss(of: names.place(of: name), at: time) }
        let files = try SoakJudgement.files(in: folder)
        incarnations = files.count
        for file in files {
            let name = String(file.prefix { $0 != "-" })
            try SoakJudgement.add(folder + "/" + file, of: names.place(of: name), to: &run)
        }
        results = judge(run)
        self.run = run
    }

    private static func add(
        _ path: String, of node: Int, to run: inout RecordedRun
    ) throws(CommandError) {
        do throws(FrameError) {
            try run.add(incarnation: readFile(path) ?? [], of: node)
        } catch {
            throw CommandError(
                .checkFailed, "\(path) holds no records: \(error)",
                fix: "run the soak again; this should not happen")
        }
    }

    private static func files(in folder: String) throws(CommandError) -> [String] {
        guard let entries = opendir(folder) else {
            throw CommandError(
                .unavailable, "cannot read \(folder): \(systemErrorText)",
                fix: "leave the folder alone while a soak runs")
        }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.contains("-") { names.append(name) }
        }
        return names.sorted()
    }
}

extension SoakJudgement: CustomStringConvertible {
    var description: String {
        "\(acknowledged) of \(acknowledged + failed + unknown) requests acknowledged, \(failed) failed, "
            + "\(unknown) unknown; \(incarnations) incarnations of nodes recorded"
    }
}

extension [String] {
    /// Names come from the list itself.
    fileprivate func place(of name: String) -> Int {
        guard let index = firstIndex(of: name) else {
            preconditionFailure("\(name) is no node of the soak")
        }
        return index
    }
}
