import DataTree
import JSONText
import Testing

@testable import ClusterAdministration
@testable import HTTPText

@Suite struct ChangedLocationsTests {
    private func path(_ text: String) throws -> Path { try Path(text) }

    @Test func `no location in a batch contains another one`() throws {
        var changed = ChangedLocations()
        for text in ["/a/b/c", "/b", "/a/b", "/a/b/d", "/aa", "/b/.priority", "/a/c"] {
            changed.insert(try path(text))
        }
        #expect(
            changed.removeAll()
                == [try path("/a/b"), try path("/a/c"), try path("/aa"), try path("/b")])
        #expect(changed.isEmpty)
    }

    @Test func `too many locations count as everything`() {
        var changed = ChangedLocations()
        for number in 0...ChangedLocations.limit { changed.insert(Path([Key(index: number)])) }
        #expect(changed.isEverything)
        #expect(changed.removeAll().isEmpty)
        #expect(!changed.isEverything)
    }
}

@Suite struct SourceEventTests {
    private func event(_ name: String, _ data: String, isCut: Bool = false) -> SourceEvent {
        let event = EventStreamReader.Event(name: name, data: Array(data.utf8), isCut: isCut)
        return SourceEvent(event, by: JSONReader(maximumBytes: 1 << 20, maximumDepth: 100))
    }

    @Test func `a put names a location`() throws {
        #expect(
            event("put", #"{"path":"/a/b","data":{"x":[1]}}"#) == .changed([try Path("/a/b")]))
    }

    @Test func `a patch names each location that it replaces`() throws {
        #expect(
            event("patch", #"{"path":"/a","data":{"b/c":1,"d":null,".priority":2}}"#)
                == .changed([try Path("/a/b/c"), try Path("/a/d"), try Path("/a/.priority")]))
    }

    @Test func `a large event names its location before its data`() throws {
        #expect(
            event("put", #"{"path":"/a,\"data\":","data":{"x":[1,"#, isCut: true)
                == .changed([try Path("/a,\"data\":")]))
        #expect(
            event("put", #"{"path":"/a","data":{"x":[1,"#, isCut: true)
                == .changed([try Path("/a")]))
        #expect(
            event("patch", #"{"path":"/a","data":{"x":[1,"#, isCut: true)
                == .changed([try Path("/a")]))
    }

    @Test(arguments: ["{", "null", #"{"path":5,"data":1}"#, #"{"path":"/a#","data":1}"#])
    func `an unreadable change is one of everything`(data: String) {
        #expect(event("put", data) == .changed([.root]))
        #expect(event("patch", data) == .changed([.root]))
    }

    @Test func `other events change nothing, or end the stream`() {
        #expect(event("keep-alive", "null") == .nothing)
        #expect(
            event("auth_revoked", "credential is no longer valid")
                == .ended(reason: "the credential for the source has expired"))
        #expect(
            event("cancel", "null")
                == .ended(reason: "the rules of the source do not permit to read it"))
    }
}
