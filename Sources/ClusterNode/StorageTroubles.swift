internal import GatewayCore
internal import Storage

/// Why a node takes no writes because of its database: the disk refuses them, or its files are missing.
struct StorageTroubles {
    /// The error of the last write, while writes fail.
    var refusal: StorageError?
    /// The files that are not in place.
    var missing: StorageError?

    /// The one to report: files that are missing, since the disk may have room again without them.
    var error: StorageError? { missing ?? refusal }

    /// The same, as `/health` says it.
    var reason: StorageTrouble? {
        if missing != nil { return .isMissing }
        return refusal == nil ? nil : .refusesWrites
    }
}
