internal import ClientConnection
internal import ClientCore
internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import QueryEngine
internal import Threads

/// A listener on one node that applies child events to a list of its own, as an app's view would.
final class DemoListener: Sendable {
    private struct Heard: Sendable {
        var children = Children()
        var events = 0
        /// A child that was added twice.
        var isDoubled = false
    }

    /// How many events are shown.
    private static let shown = 6

    private let connection: Connection
    private let heard = Monitor(Heard())

    init(at node: ClusterFile.Node, list: Path, story: Story) throws(CommandError) {
        do throws(HearthError) {
            connection = try Connection(nodes: [node.client])
        } catch {
            throw CommandError(error)
        }
        _ = connection.listen(at: list, for: .children) { [heard] events in
            heard.withLock { state in
                for event in events { DemoListener.apply(event, &state, story) }
            }
        } ended: { error in
            story.show("the listen ended: \(error)")
        }
    }

    func stop() { connection.close() }

    /// How many children were received.
    var count: Int { heard.withLock { $0.children.count } }

    /// The list as the events made it, and whether none of them came twice.
    func result() -> (children: Children, isDoubled: Bool) {
        heard.withLock { ($0.children, $0.isDoubled) }
    }

    private static func apply(_ event: ViewEvent, _ state: inout Heard, _ story: Story) {
        guard event.kind == .childAdded, let key = event.key else { return }
        if state.children.updateValue(event.data, forKey: key) != nil { state.isDoubled = true }
        state.events += 1
        guard state.events <= shown else { return }
        let message = JSONWriter.text(of: event.data)
        story.show("n3 gets \(event.kind.name)  \(key.text)  \(message)")
    }
}
