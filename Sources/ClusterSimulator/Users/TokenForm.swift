/// The form of a token: valid in one of the ways that nodes accept, or invalid.
enum TokenForm: CaseIterable {
    case plain
    /// It names one audience of several.
    case forSeveral
    /// It ends early, because it was issued long ago.
    case aged
    /// As Firebase's old generators made them.
    case legacy
    /// By an issuer with a name, several keys, and claims of its own.
    case named
    /// The same, of a user who signed in at the first valid moment.
    case renewed
    /// It says that it makes administrators, and its issuer makes none.
    case pretending
    /// By an issuer whose only key has no name.
    case byOnlyKey

    // From here on, tokens that show nothing.

    case expired, early, notYet, tooOld, endless
    case signedByAnother, cut, extended, padded, unsigned, critical, tooLong, owner
    case forAnother, forNumbers, toBeExchanged
    case nameless, emptyNamed, longNamed, withoutNumber
    case byStranger, withUnknownKey, withAnotherKey, withoutKey
    /// Its user signed in before all tokens were taken back.
    case takenBack, renewedTooOften

    static let good: [TokenForm] = [
        .plain, .forSeveral, .aged, .legacy, .named, .renewed, .pretending, .byOnlyKey,
    ]
    static let bad: [TokenForm] = allCases.filter { !$0.isGood }

    /// Whether nodes have to accept it.
    var isGood: Bool { TokenForm.good.contains(self) }

    /// Whether it may show an administrator.
    var mayAdminister: Bool { isGood && issuer == .shared }

    /// Whether it would show something at another time.
    var isUntimely: Bool {
        switch self {
        case .expired, .early, .notYet, .tooOld: true
        default: false
        }
    }

    /// The issuer that has signed it, or that it names.
    var issuer: TokenMint {
        switch self {
        case .named, .renewed, .pretending, .emptyNamed, .byStranger, .withUnknownKey,
            .withAnotherKey, .withoutKey, .takenBack, .renewedTooOften, .forNumbers, .critical:
            .people
        case .byOnlyKey: .machines
        default: .shared
        }
    }
}
