/// Whether the mode of a file keeps a secret in it: only its owner may read it.
///
/// A file of root may also be readable by a group, because a service cannot own the files that Kubernetes and configuration
/// management give it. The group is then the one of the service.
///
/// - Parameter reader: The user of this process.
package func keepsSecret(mode: mode_t, owner: uid_t, reader: uid_t = geteuid()) -> Bool {
    mode & 0o077 == 0 || owner == 0 && reader != 0 && mode & 0o037 == 0
}
