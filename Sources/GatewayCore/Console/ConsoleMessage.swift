internal import DataTree
internal import JSONText
internal import QueryEngine

/// A message of the console's page to its node: a JSON object whose member `t` names its kind.
enum ConsoleMessage: Equatable {
    /// `{"t":"hello","token":"…"}`: begins the session, as the client that the token names, and again to become another one.
    case hello(token: String?)
    /// `{"t":"window","id":1,"path":"/a","from":0,"count":60,"order":"key"}`: opens a window, or moves the one with this number.
    case window(id: Int, ConsoleWindow.Place)
    /// `{"t":"close","id":1}`: closes a window.
    case close(id: Int)
    /// `{"t":"status","on":true}`: begins or ends the reports of the node, one a second.
    case status(isWanted: Bool)
    /// `{"t":"why","id":2,"path":"/a"}`: asks why a location shows its value.
    case why(id: Int, Path)
    /// `{"t":"events","id":5,"path":"/a"}`: follows the operations at or below a location, until `close`.
    case events(id: Int, Path)
    /// `{"t":"explain","id":6,"statement":"read /a as null"}`: asks what the rules say of an operation, or with `source` what other
    /// rules would say.
    case explain(id: Int, statement: String, source: String?)
    /// `{"t":"backup","id":3,"name":"monday"}`: has the node write a copy of its database.
    case backup(id: Int, name: String)
    /// `{"t":"evict","id":4,"member":"n3"}`: has the node vote to go on without a member.
    case evict(id: Int, member: String)

    /// A message that cannot be used.
    struct Failure: Error, Equatable {
        /// The problem, for the page's log.
        let problem: String
    }

    /// The most bytes of a message.
    static let byteLimit = 64 << 10

    /// Reads a message.
    init(_ text: [UInt8], by reader: JSONReader) throws(Failure) {
        let result: Result<ConsoleMessage, Failure>
        do throws(JSONError) {
            result = try reader.read(text) { node in ConsoleMessage.parse(node) }
        } catch {
            throw Failure(problem: "the message is not JSON")
        }
        self = try result.get()
    }

    private static func parse(_ node: JSONNode) -> Result<ConsoleMessage, Failure> {
        do throws(Failure) {
            return .success(try ConsoleMessage(node))
        } catch {
            return .failure(error)
        }
    }

    private init(_ node: JSONNode) throws(Failure) {
        switch node["t"]?.string {
        case "hello": self = .hello(token: node["token"]?.string)
        case "window": self = .window(id: try node.id, try ConsoleWindow.Place(node))
        case "close": self = .close(id: try node.id)
        case "status": self = .status(isWanted: node["on"]?.boolean ?? true)
        case "why": self = .why(id: try node.id, try node.path)
        case "events": self = .events(id: try node.id, try node.path)
        case "explain":
            self = .explain(
                id: try node.id, statement: node["statement"]?.string ?? "",
                source: node["source"]?.string)
        case "backup": self = .backup(id: try node.id, name: node["name"]?.string ?? "")
        case "evict": self = .evict(id: try node.id, member: node["member"]?.string ?? "")
        default:
            throw Failure(
                problem: "t is not hello, window, close, status, why, events, explain, backup "
                    + "or evict")
        }
    }
}

extension JSONNode {
    fileprivate var id: Int {
        get throws(ConsoleMessage.Failure) {
            guard let number = self["id"]?.integer, (0...1_000_000_000).contains(number) else {
                throw ConsoleMessage.Failure(problem: "id is not a number from 0 to 1000000000")
            }
            return Int(number)
        }
    }

    fileprivate var path: Path {
        get throws(ConsoleMessage.Failure) {
            do throws(DataError) {
                return try Path(self["path"]?.string ?? "")
            } catch {
                throw ConsoleMessage.Failure(problem: error.problem)
            }
        }
    }
}

extension ConsoleWindow.Place {
    fileprivate init(_ node: JSONNode) throws(ConsoleMessage.Failure) {
        path = try node.path
        let name = node["order"]?.string ?? "key"
        isDescending = name.hasPrefix("-")
        order = try ChildOrder(console: isDescending ? String(name.dropFirst()) : name)
        hasFields = node["fields"]?.boolean ?? false
        let limit = hasFields ? ConsoleWindow.tableRowLimit : ConsoleWindow.rowLimit
        count = min(max(1, Int(clamping: node["count"]?.integer ?? 1)), limit)
        if let key = node["key"]?.string {
            guard let key = try? Key(key) else {
                throw ConsoleMessage.Failure(problem: "\(key.prefix(80)) cannot be a key")
            }
            start = .key(key)
        } else {
            start = .rank(max(0, Int(clamping: node["from"]?.integer ?? 0)))
        }
    }
}

extension ChildOrder {
    /// The order that a page names: `key`, `value`, `priority`, or `child:` and a path.
    fileprivate init(console name: String) throws(ConsoleMessage.Failure) {
        switch name {
        case "key": self = .key
        case "value": self = .value
        case "priority": self = .priority
        default:
            guard name.hasPrefix("child:"), let path = try? Path(String(name.dropFirst(6))),
                !path.isRoot
            else {
                throw ConsoleMessage.Failure(
                    problem: "order is not key, value, priority or child:PATH")
            }
            self = .child(path)
        }
    }
}
