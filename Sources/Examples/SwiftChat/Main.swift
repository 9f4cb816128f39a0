import Foundation
import Hearth

/// A chat in a terminal: each line of standard input is a message.
@main enum Main {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 4 else {
            print(
                "usage: SwiftChat NODES USER TOKEN-FILE ROOM; NODES are addresses, separated by commas"
            )
            exit(64)
        }
        let (nodes, user, tokenFile, room) = (
            arguments[1].split(separator: ",").map(String.init), arguments[2], arguments[3],
            arguments[4]
        )

        // The file keeps messages that no node has received yet, and the latest messages of the room.
        let database = Database(nodes: nodes, persistence: Persistence(file: "chat-\(user).db"))
        let signIn = { @Sendable in
            let token = try String(contentsOfFile: tokenFile, encoding: .utf8)
            try database.signIn(withToken: token.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        do {
            try signIn()
        } catch {
            print("error: no token in \(tokenFile): \(error.localizedDescription)")
            exit(66)
        }
        database.tokenExpirationHandler = { try? signIn() }

        let chat = Chat(database: database, user: user, room: room)
        let printing = Task { await chat.printMessages() }
        let presence = Task { try await chat.keepPresence() }
        for await line in lines() where !line.isEmpty { chat.send(line) }

        // All lines are in the file once the connection is closed.
        database.close()
        printing.cancel()
        presence.cancel()
    }

    /// The lines of standard input. A thread of its own waits for them.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { lines in
            Thread.detachNewThread {
                while let line = readLine() { lines.yield(line) }
                lines.finish()
            }
        }
    }
}
