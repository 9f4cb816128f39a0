package import ClientConnection
internal import ClientCore
package import CommandLineKit
package import TLS
internal import Threads

/// A connection to the nodes that a command names, and which of them serves it.
package struct NodeLink: Sendable {
    package let connection: Connection
    /// The addresses of the nodes.
    private let addresses: [String]
    private let names: [String: String]
    private let contact: Monitor<Contact>

    private struct Contact: Sendable {
        var now = NodeContact.searching(refusal: nil)
        var count = 0
        var observer: (@Sendable (NodeContact) -> Void)?
    }

    /// Connects to the nodes at these addresses in turn, until one answers.
    ///
    /// - Parameter names: The nodes' names by their addresses, for messages.
    package init(
        to addresses: [String], names: [String: String] = [:], showing secret: Secret? = nil
    ) throws(CommandError) {
        let contact = Monitor(Contact())
        let tap = ConnectionTap(contact: { new in
            let observer = contact.withLock { contact in
                contact.now = new
                if case .served = new { contact.count += 1 }
                return contact.observer
            }
            observer?(new)
        })
        do throws(HearthError) {
            // A misspelt name of a database must not become a database.
            connection = try Connection(
                nodes: addresses, secret: secret?.text, tap: tap, onlyExisting: true)
        } catch {
            throw CommandError(error)
        }
        self.addresses = addresses
        self.names = names
        self.contact = contact
    }

    /// Which node serves now.
    var currentContact: NodeContact { contact.withLock { $0.now } }

    /// Whether a node serves now.
    package var isServed: Bool { if case .served = currentContact { true } else { false } }

    /// How often a node has begun to serve: a connection after another one, even to the same node, is another session.
    package var contactCount: Int { contact.withLock { $0.count } }

    /// Calls an observer with the node that serves, on the connection's own thread, from now on; nil ends
    /// that.
    package func observe(_ observer: (@Sendable (NodeContact) -> Void)?) {
        contact.withLock { $0.observer = observer }
    }

    /// A node as messages name it: `n2 (http://127.0.0.1:7011)`.
    package func name(of address: String) -> String {
        let place = NodeLink.location(of: address)
        return names[address].map { "\($0) (\(place))" } ?? place
    }

    /// All nodes that are tried, as messages name them.
    package var allNames: String {
        addresses.map { names[$0] ?? NodeLink.location(of: $0) }.joined(separator: ", ")
    }

    /// An address without the fingerprint of a certificate and the name of a database.
    private static func location(of address: String) -> String {
        String(address.prefix { $0 != "#" && $0 != "?" })
    }
}

/// The connections that one process reuses for its next command, as in the shell. A command therefore sees the
/// writes of the previous one, even after the end of its node.
package enum SharedLinks {
    private struct Key: Hashable {
        let addresses: [String]
        let secret: Secret?
    }

    private static let links = Monitor<[Key: NodeLink]?>(nil)

    /// From now on connections are kept.
    package static func keep() { links.withLock { $0 = $0 ?? [:] } }

    /// A connection to these nodes: the one kept, or a new one.
    package static func link(
        to addresses: [String], names: [String: String], showing secret: Secret?
    ) throws(CommandError) -> NodeLink {
        let key = Key(addresses: addresses, secret: secret)
        if let known = links.withLock({ $0?[key] }) { return known }
        let link = try NodeLink(to: addresses, names: names, showing: secret)
        links.withLock { $0?[key] = link }
        return link
    }
}
