import Hearth

// Presence: each connection is a child; when the last one is gone, the time remains.

@MainActor final class Presence {
    let myConnections = Database.database().reference(withPath: "users/ada/connections")
    let lastOnline = Database.database().reference(withPath: "users/ada/lastOnline")
    let connected = Database.database().reference(withPath: ".info/connected")
    let offset = Database.database().reference(withPath: ".info/serverTimeOffset")

    func begin() {
        connected.observe(.value) { snapshot in
            // Only while there is a connection.
            guard let isConnected = snapshot.value as? Bool, isConnected else { return }
            let connection = self.myConnections.childByAutoId()
            connection.onDisconnectRemoveValue()
            connection.setValue(true)
            self.lastOnline.onDisconnectSetValue(ServerValue.timestamp())
        }
        myConnections.observe(.value) { snapshot in
            if snapshot.exists() { say("present \(snapshot.childrenCount)") }
        }
        offset.observe(.value) { snapshot in
            if let offset = snapshot.value as? Double { say("near \(abs(offset) < 60_000)") }
        }
        let status = Database.database().reference(withPath: "disconnectmessage")
        status.onDisconnectSetValue("I disconnected!") { error, reference in
            if let error = error { say("not left: \(error.localizedDescription)") }
            status.cancelDisconnectOperations()
        }
    }
}
