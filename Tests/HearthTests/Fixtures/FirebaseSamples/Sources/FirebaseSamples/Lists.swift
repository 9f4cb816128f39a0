import Foundation
import Hearth

// Lists of data: what a view controller does, on the main actor.

@MainActor final class PostList {
    var ref: DatabaseReference!
    var comments: [DataSnapshot] = []
    var handle: DatabaseHandle?
    var starCounts: [String: Int] = [:]

    func viewDidLoad() {
        ref = Database.database().reference()
        Database.database().reference(withPath: "comments").keepSynced(true)
    }

    func write(title: String, by userID: String) {
        guard let key = ref.child("posts").childByAutoId().key else { return }
        let post = ["uid": userID, "title": title, "starCount": 0] as [String: Any]
        let childUpdates = [
            "/posts/\(key)": post,
            "/user-posts/\(userID)/\(key)/": post,
        ]
        ref.updateChildValues(childUpdates)
    }

    func listen(to commentsRef: DatabaseReference) {
        commentsRef.observe(
            .childAdded,
            with: { (snapshot) -> Void in
                self.comments.append(snapshot)
                say("added \(snapshot.key)")
            })
        commentsRef.observe(
            .childRemoved,
            with: { (snapshot) -> Void in
                let index = self.index(of: snapshot)
                self.comments.remove(at: index)
                say("removed \(snapshot.key)")
            })
        handle = commentsRef.observe(.value) { snapshot in
            for child in snapshot.children {
                guard let comment = child as? DataSnapshot else { continue }
                self.starCounts[comment.key] = comment.childSnapshot(forPath: "stars").value as? Int
            }
            let all = snapshot.children.allObjects as? [DataSnapshot] ?? []
            say("listed \(all.map { $0.key })")
            guard let first = all.first else { return }
            first.ref.removeValue { error, _ in say("gone \(error == nil)") }
        }
    }

    func index(of snapshot: DataSnapshot) -> Int {
        comments.firstIndex { $0.key == snapshot.key } ?? 0
    }

    func queries(userID: String) {
        let recent = ref.child("posts").queryLimited(toFirst: 100)
        let mine = ref.child("user-posts").child(userID).queryOrdered(byChild: "starCount")
        recent.observe(.childChanged, with: { snapshot in say("changed \(snapshot.key)") })
        mine.queryStarting(atValue: 1).observe(.childAdded) { (snapshot, previous) in
            say("starred after \(previous ?? "nothing")")
        }
        ref.child("scores").queryOrderedByValue().queryEqual(toValue: 3).observeSingleEvent(
            of: .value,
            with: { snapshot in
                let enumerator = snapshot.children
                while let child = enumerator.nextObject() as? DataSnapshot {
                    say("scored \(child.key) \(child.value as? Double ?? 0)")
                }
            })
    }

    func viewWillDisappear() {
        if let handle { ref.child("comments").removeObserver(withHandle: handle) }
        ref.child("posts").removeAllObservers()
    }
}
