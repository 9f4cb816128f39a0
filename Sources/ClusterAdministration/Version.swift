/// The newest released version of the changelog.
package let hearthVersion = "0.4.0"
/// The day of that version, as the manual page shows it.
package let hearthDate = "2026-11-26"
