internal import DataTree
internal import Rules

/// The names of users, which rules compare with keys: each is a text that can be a key.
enum TokenUser {
    /// The claim that has an e-mail address.
    static let mailClaim = "email"

    /// The longest name in UTF-16 code units, as Firebase has it.
    private static let limit = 128

    /// Returns the name of a user as a claim has it.
    ///
    /// - Throws: `.user` if no key can be that name: a `/` in it would lead rules to another location.
    static func name(_ user: String, of claim: String) throws(TokenFailure) -> String {
        guard !user.isEmpty, user.utf16.count <= limit else { throw .claim(claim) }
        guard (try? Key(user)) != nil else { throw .user(claim) }
        return user
    }

    /// Returns the name of the user with an e-mail address: the address with a comma for each dot, which no key has.
    ///
    /// - Throws: `.unverifiedMail` if the issuer says that it has not checked the address; `.user` for an address with a
    ///   comma, which would be the name of another one.
    static func name(ofMail address: String, in claims: Claim) throws(TokenFailure) -> String {
        switch claims.member("email_verified") {
        case nil, .boolean(true)?, .string("true")?: break
        default: throw .unverifiedMail
        }
        guard !address.utf8.contains(UInt8(ascii: ",")) else { throw .user(mailClaim) }
        return try name(String(address.map { $0 == "." ? "," : $0 }), of: mailClaim)
    }
}
