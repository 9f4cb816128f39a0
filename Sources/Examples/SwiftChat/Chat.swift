import Foundation
import Hearth

/// A room of the chat, for one user.
struct Chat {
    let database: Database
    let user: String
    let room: String

    private var messages: DatabaseReference { database.reference(withPath: "messages/\(room)") }
    private var presence: DatabaseReference { database.reference(withPath: "presence/\(user)") }

    /// Sends a message. While no node is reachable, it waits in the file of the database, also after the end of this
    /// process.
    func send(_ text: String) {
        let message: Value = [
            "from": .string(user), "text": .string(text), "at": ServerValue.timestamp(),
        ]
        messages.childByAutoId().setValue(message) { error, _ in
            // A message without an answer at the end of the process is in the file.
            if let error, error.effect == .none { show("(not sent: \(text): \(error))") }
        }
    }

    /// Prints the latest messages, and then each new one, those of this user at once.
    func printMessages() async {
        let latest = messages.queryOrdered(byChild: "at").queryLimited(toLast: 50)
        for await event in latest.childEvents {
            switch event {
            case .childAdded(let message, _): show(line(for: message))
            case .cancelled(let error): show("(the room cannot be read: \(error))")
            default: break
            }
        }
    }

    private func line(for message: DataSnapshot) -> String {
        let (from, text) = (
            message.childSnapshot(forPath: "from"), message.childSnapshot(forPath: "text")
        )
        return "\(from.value as? String ?? "?"): \(text.value as? String ?? "")"
    }

    /// Shows this user as online while a node is connected. The node removes the entry when the connection ends.
    func keepPresence() async throws {
        var heartbeat: Task<Void, any Error>?
        for try await connected in database.reference(withPath: ".info/connected").values {
            heartbeat?.cancel()
            let isConnected = connected.value as? Bool == true
            show(isConnected ? "(online)" : "(offline: messages wait)")
            guard isConnected else { continue }
            heartbeat = Task {
                try await presence.onDisconnectRemoveValue()
                while true {
                    try await presence.setValue(["at": ServerValue.timestamp()])
                    try await Task.sleep(for: .seconds(5))
                }
            }
        }
    }
}

/// Prints a line at once, also into a pipe, for which `print` keeps a buffer.
private func show(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
