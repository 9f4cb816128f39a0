// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A program as it is written for Firebase, in a package of its own; only the import differs. It builds in
// the language mode that SAMPLES_MODE names, 5 or 6:
//
//     SAMPLES_MODE=5 swift run
let mode = ProcessInfo.processInfo.environment["SAMPLES_MODE"] ?? "6"

let package = Package(
    name: "FirebaseSamples",
    platforms: [.macOS(.v26)],
    dependencies: [.package(name: "hearth", path: "../../../..")],
    targets: [
        .executableTarget(
            name: "FirebaseSamples", dependencies: [.product(name: "Hearth", package: "hearth")])
    ],
    swiftLanguageModes: mode == "5" ? [.v5] : [.v6]
)
