import Foundation
import Hearth

// Reading and writing: completion blocks, waiting calls, transactions.

/// A class of no actor, as many an app has one.
class Profile {
    let ref: DatabaseReference = Database.database().reference()
    var username = ""

    func write(_ name: String) {
        ref.child("users").child("ada").setValue(["username": name])
        ref.child("users/ada/email").setValue("ada@example.org")
        ref.child("users/ada/phone").setValue(5) { (error: Error?, ref: DatabaseReference) in
            if let error = error {
                say("not saved: \(error.localizedDescription)")
            } else {
                say("saved \(ref.key ?? "nothing")")
            }
        }
    }

    func read() {
        // swift-format-ignore: OnlyOneTrailingClosureArgument
        ref.child("users").child("ada").observeSingleEvent(
            of: .value,
            with: { snapshot in
                let value = snapshot.value as? NSDictionary
                self.username = value?["username"] as? String ?? ""
                say("read \(self.username)")
            }
        ) { error in
            say(error.localizedDescription)
        }
        ref.child("users/nobody").getData(completion: { error, snapshot in
            guard error == nil else { return say(error!.localizedDescription) }
            say("nobody is NSNull: \(snapshot?.value is NSNull)")
        })
    }

    func star(_ post: DatabaseReference, by uid: String) {
        // swift-format-ignore: OnlyOneTrailingClosureArgument
        post.runTransactionBlock({ (currentData: MutableData) -> TransactionResult in
            if var post = currentData.value as? [String: AnyObject] {
                var stars = post["stars"] as? [String: Bool] ?? [:]
                var starCount = post["starCount"] as? Int ?? 0
                if stars[uid] != nil {
                    starCount -= 1
                    stars.removeValue(forKey: uid)
                } else {
                    starCount += 1
                    stars[uid] = true
                }
                post["starCount"] = starCount as AnyObject?
                post["stars"] = stars as AnyObject?
                currentData.value = post
                return TransactionResult.success(withValue: currentData)
            }
            return TransactionResult.success(withValue: currentData)
        }) { error, committed, snapshot in
            if let error = error { say(error.localizedDescription) }
            let count = snapshot?.childSnapshot(forPath: "starCount").value as? Int ?? -1
            say("starred \(committed) \(count)")
        }
    }

    func count(_ key: String) {
        let updates: [String: Any] = [
            "posts/\(key)/seen": true,
            "posts/\(key)/views": ServerValue.increment(1),
        ]
        ref.updateChildValues(updates)
    }
}

/// The waiting calls.
func readAndWrite() async {
    let ref = Database.database().reference().child("waited")
    do {
        try await ref.setValue(["a": 1, "b": 2])
        let written = try await ref.child("c").setValue(3)
        try await ref.child("a").removeValue()
        let snapshot = try await ref.getData()
        say("waited \(written.key ?? "") \(snapshot.childrenCount)")
        let (committed, _) = try await ref.child("n").runTransactionBlock { data in
            data.value = (data.value as? Int ?? 0) + 1
            return .success(withValue: data)
        }
        say("committed \(committed)")
    } catch {
        say("failed: \(error)")
    }
}
