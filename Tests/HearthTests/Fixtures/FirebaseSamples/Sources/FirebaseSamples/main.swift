import Foundation
import Hearth

// Runs the samples at the nodes that HEARTH_NODES lists, until it is ended.

/// Says what happened, from any thread.
@Sendable func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

@MainActor func runSamples() {
    Database.setLoggingEnabled(false)
    let list = PostList()
    list.viewDidLoad()
    list.listen(to: list.ref.child("comments"))
    // Before the query that is told a value once only, which may be answered at any time.
    list.ref.child("scores").setValue(["x": 3, "y": 4])
    list.queries(userID: "ada")
    list.write(title: "One", by: "ada")
    list.ref.child("comments/first").setValue(["stars": 3])
    let presence = Presence()
    presence.begin()
    let profile = Profile()
    profile.write("Ada")
    profile.read()
    profile.count("q")
    list.ref.child("posts/p").setValue(["starCount": 1])
    profile.star(list.ref.child("posts/p"), by: "bob")
}

Task { @MainActor in runSamples() }
Task { await readAndWrite() }
dispatchMain()
