/// A mistake planted on purpose, to show that the checks find it.
public enum PlantedDefect: Equatable, Sendable {
    /// Acknowledgements and publications leave a node before their cause is on disk.
    case acknowledgesBeforeCommit
    /// A node never asks for what it missed.
    case ignoresGaps
    /// A client asks again for an increment whose outcome it does not know.
    case resendsIncrements
    /// A native client gives a write a new stamp when it asks for it again.
    case restampsRetries
    /// A client that is idle lets its node wait for a ping for a minute.
    case pingsTooRarely
    /// A native client takes the answer that its stamp comes too late for the one that its write is done.
    case takesLateForDone
    /// A client's push IDs do not remember the one before.
    case forgetsLastPushID
    /// Of the push IDs of one millisecond, all clients draw the same.
    case drawsPushIDsAlike
    /// A node answers some reads from a state that it had before.
    case servesStaleReads
    /// A node that starts again goes on as the writer that it was, whatever it may have lost.
    case keepsWriter
    /// A node makes two operations of an update of several places.
    case splitsUpdates
    /// A node does puts whose conditions do not hold.
    case ignoresConditions
    /// A node that starts has forgotten what it had set aside.
    case losesAside
    /// What finds no room on a full disk counts as stored.
    case dropsWhatFindsNoRoom
    /// A node goes on after a sync has failed.
    case ignoresFailedSyncs
    /// A node takes what it reads for what was written: a batch of its log.
    case trustsDamagedLog
    /// The same of a row or the head of its checkpoint.
    case trustsDamagedCheckpoint
    /// A node does not look whether a batch of its log is where it belongs.
    case trustsPlaces
    /// A node takes from its log what is in no checkpoint of it yet.
    case truncatesWhatIsHeld
    /// The end of some frames to clients is missing, which no check looks for.
    case cutsReplies
    /// A process that was refused, because there is a node of its name, goes on.
    case refusedTwinGoesOn
    // Mistakes in the events of an application's listeners.
    case losesChildren
    case doublesChildren
    case misplacesChildren
    case forgetsOldValues
    case valueComesFirst
    case splitsChanges
    /// Some frames with changes do not reach their listeners, and nobody notices.
    case losesChanges

    private static let others: [(name: String, defect: PlantedDefect)] = [
        ("acknowledges-before-commit", .acknowledgesBeforeCommit),
        ("ignores-gaps", .ignoresGaps),
        ("resends-increments", .resendsIncrements),
        ("restamps-retries", .restampsRetries),
        ("pings-too-rarely", .pingsTooRarely),
        ("takes-late-for-done", .takesLateForDone),
        ("forgets-last-push-id", .forgetsLastPushID),
        ("draws-push-ids-alike", .drawsPushIDsAlike),
        ("loses-changes", .losesChanges),
        ("serves-stale-reads", .servesStaleReads),
        ("keeps-writer", .keepsWriter),
        ("splits-updates", .splitsUpdates),
        ("ignores-conditions", .ignoresConditions),
        ("loses-orphans", .losesAside),
        ("drops-what-finds-no-room", .dropsWhatFindsNoRoom),
        ("ignores-failed-syncs", .ignoresFailedSyncs),
        ("trusts-damaged-log", .trustsDamagedLog),
        ("trusts-damaged-checkpoint", .trustsDamagedCheckpoint),
        ("trusts-places", .trustsPlaces),
        ("truncates-what-is-held", .truncatesWhatIsHeld),
        ("cuts-replies", .cutsReplies),
        ("refused-duplicateNode-goes-on", .refusedTwinGoesOn),
        ("loses-children", .losesChildren),
        ("doubles-children", .doublesChildren),
        ("misplaces-children", .misplacesChildren),
        ("forgets-old-values", .forgetsOldValues),
        ("value-comes-first", .valueComesFirst),
        ("splits-changes", .splitsChanges),
    ]

    /// The names of all defects.
    public static var names: [String] { others.map(\.name) }

    /// As the command line names it.
    public var name: String {
        PlantedDefect.others.first { $0.defect == self }?.name ?? ""
    }

    /// The defect with a name, or nil.
    public init?(name: String) {
        guard let other = PlantedDefect.others.first(where: { $0.name == name }) else { return nil }
        self = other.defect
    }

    /// The part of a disk of which a node does not look at the checksums.
    var trustedPart: VirtualDisk.Part? {
        switch self {
        case .trustsDamagedLog: .log
        case .trustsDamagedCheckpoint: .checkpoint
        default: nil
        }
    }

    /// Whether a node may fail to start on what it should not have trusted.
    var trustsDisk: Bool { trustedPart != nil || self == .trustsPlaces }
}
