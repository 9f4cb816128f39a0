import DataTree
import QueryEngine

@testable import ClientCore

/// One case of the sync-point specification on its way through a sync tree.
struct SpecificationRun {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// An event, given to one listener.
    struct Observation: CustomStringConvertible {
        let path: Path
        let query: Query
        let event: ViewEvent

        var description: String {
            let key = event.key.map { "\($0) after \(event.previousChildKey?.text ?? "-")" } ?? ""
            return "\(path) \(event.kind) \(key) \(event.data)"
        }
    }

    private let prefix: Path
    private var tree = SyncTree()
    private var server = ListenBook()
    private var nextListen: UInt64 = 0
    /// The listens of each callback.
    private var callbacks: [Int: [(id: ListenID, path: Path)]] = [:]

    init(below prefix: Path) { self.prefix = prefix }

    static func run(_ spec: SpecificationCase, below prefix: Path) throws {
        var run = SpecificationRun(below: prefix)
        for (place, step) in spec.steps.enumerated() {
            do {
                try run.take(step)
            } catch {
                throw Failure(description: "\(spec.name), step \(place) below \(prefix): \(error)")
            }
        }
    }

    private mutating func take(_ step: SpecificationCase.Step) throws {
        guard let type = step.type, type != "suppressWarning" else { return }
        let outputs = try outputs(of: step, type)
        var observations: [Observation] = []
        for output in outputs {
            guard case .observed(let events) = output else {
                try server.take(output)
                continue
            }
            for event in events.events {
                for _ in events.listens {
                    observations.append(
                        Observation(path: events.path, query: events.query, event: event))
                }
            }
        }
        let expected = step.events ?? []
        let expectation = EventExpectation(expected, below: prefix)
        if type == "listen" || type == "unlisten" {
            try expectation.checkSequence(observations)
        } else {
            try expectation.checkGroups(observations)
        }
    }

    private mutating func outputs(
        of step: SpecificationCase.Step, _ type: String
    ) throws -> [SyncOutput] {
        let path = prefix.appending(ClientCoreTests.path(step.path ?? ""))
        let tag = step.tag.map(Tag.init)
        let value = step.data?.value ?? .null
        let writes = step.data?.writes ?? []
        let id = WriteID(number: step.writeId ?? 0)
        switch type {
        case "listen": return try listen(step, at: path)
        case "unlisten": return unlisten(step, at: path)
        case "serverUpdate": return tree.overwrite(path, with: value, tag: tag)
        case "serverMerge": return tree.merge(path, with: writes, tag: tag)
        case "set":
            return tree.set(value, at: path, step.visible == false ? .hidden : .shown).outputs
        case "update": return tree.update(path, with: writes).outputs
        case "ackUserWrite":
            return step.revert == true ? tree.revert(id) : tree.acknowledge(id)
        default: throw Failure(description: "unknown step \(type)")
        }
    }

    private mutating func listen(
        _ step: SpecificationCase.Step, at path: Path
    ) throws -> [SyncOutput] {
        let id = ListenID(number: nextListen)
        nextListen += 1
        if let callback = step.callbackId { callbacks[callback, default: []].append((id, path)) }
        return tree.listen(id, at: path, to: try step.params?.query ?? Query())
    }

    /// Ends what a callback hears at a path, whatever its queries.
    private mutating func unlisten(
        _ step: SpecificationCase.Step, at path: Path
    ) -> [SyncOutput] {
        let listens = callbacks[step.callbackId ?? -1] ?? []
        callbacks[step.callbackId ?? -1] = listens.filter { $0.path != path }
        return listens.filter { $0.path == path }.flatMap { tree.unlisten($0.id) }
    }
}

/// A server's book of listens: none twice, and only those end that are there.
struct ListenBook {
    private(set) var listens: [ServerListen] = []

    mutating func take(_ output: SyncOutput) throws {
        switch output {
        case .observed: break
        case .start(let listen):
            guard place(of: listen) == nil else {
                throw SpecificationRun.Failure(description: "listens twice to \(listen)")
            }
            listens.append(listen)
        case .stop(let listen):
            guard let place = place(of: listen) else {
                throw SpecificationRun.Failure(description: "stops what is not there: \(listen)")
            }
            listens.remove(at: place)
        }
    }

    private func place(of listen: ServerListen) -> Int? {
        listens.firstIndex {
            $0.path == listen.path && $0.query == listen.query && $0.tag == listen.tag
        }
    }
}
