// Expressions at random: such as the type checker takes, and such as it has to refuse.

extension NaiveRule {
    /// An expression that the compiler takes for a rule of a kind: `.read`, `.write` or `.validate`.
    public static func drawn(
        _ words: RuleWords, as kind: String, depth: Int,
        using random: inout some RandomNumberGenerator
    ) -> NaiveRule {
        DrawnRule(words: words, kind: kind, wildcards: []).truth(depth, using: &random)
    }
}

/// Draws the expressions of one place.
struct DrawnRule {
    let words: RuleWords
    /// `.read`, `.write` or `.validate`.
    let kind: String
    /// The wildcards on the way to the place.
    let wildcards: [String]

    /// An expression that gives a boolean, or fails.
    func truth(_ depth: Int, using random: inout some RandomNumberGenerator) -> NaiveRule {
        switch random.index(depth == 0 ? 6 : 15) {
        case 0: return .literal(.truth(random.index(2) == 0))
        case 1: return .binary("!=", .name("auth"), .literal(.null))
        case 2: return .call(place(using: &random), "exists", [])
        case 3: return ofPlace(using: &random)
        case 4: return identity(using: &random)
        case 5: return query(using: &random)
        case 6: return .not(truth(depth - 1, using: &random))
        case 7, 8:
            let sign = random.index(2) == 0 ? "&&" : "||"
            let left = truth(depth - 1, using: &random)
            return .binary(sign, left, truth(depth - 1, using: &random))
        case 9:
            let condition = truth(depth - 1, using: &random)
            let then = truth(depth - 1, using: &random)
            return .choice(condition, then, truth(depth - 1, using: &random))
        case 10...12: return ofText(depth, using: &random)
        default: return comparison(depth, using: &random)
        }
    }

    // MARK: Of places

    /// A place: `data`, `newData`, `root`, or one below or above.
    func place(using random: inout some RandomNumberGenerator) -> NaiveRule {
        let starts = kind == ".read" ? ["data", "root"] : ["data", "newData", "newData", "root"]
        let name = random.one(of: starts)
        var place = NaiveRule.name(name)
        if name == "root" {
            place = .call(place, "child", [.literal(.text(random.one(of: words.paths)))])
        }
        for _ in 0..<random.index(3) {
            if random.index(4) == 0 {
                place = .call(place, "parent", [])
            } else {
                place = .call(place, "child", [key(using: &random)])
            }
        }
        return place
    }

    /// An expression whose value may be a key or a path.
    private func key(using random: inout some RandomNumberGenerator) -> NaiveRule {
        switch random.index(8) {
        case 0 where !wildcards.isEmpty: return .name(random.one(of: wildcards))
        case 1: return claim(using: &random)
        case 2:
            return .binary(
                "+", .literal(.text(random.one(of: words.keys) + "/")),
                .literal(.text(random.one(of: words.keys))))
        case 3: return .literal(.text("/" + random.one(of: words.keys) + "//"))
        default: return .literal(.text(random.one(of: words.keys)))
        }
    }

    /// An expression about the rule's own location.
    private func ofPlace(using random: inout some RandomNumberGenerator) -> NaiveRule {
        let place = place(using: &random)
        switch random.index(6) {
        case 0: return .call(place, "hasChild", [key(using: &random)])
        case 1: return .call(place, "hasChildren", [])
        case 2:
            let names = (0..<random.index(3)).map { _ in key(using: &random) }
            return .call(place, "hasChildren", [.list(names)])
        case 3 where random.index(2) == 0:
            // Locations of the data, as paths from the root.
            let names = (0..<2).map { _ in
                NaiveRule.literal(.text(random.one(of: words.paths)))
            }
            return .call(.name("root"), "hasChildren", [.list(names)])
        case 3: return .call(place, "isString", [])
        case 4: return .call(place, "isNumber", [])
        default: return .call(place, "isBoolean", [])
        }
    }

    // MARK: Of users and queries

    private func claim(using random: inout some RandomNumberGenerator) -> NaiveRule {
        random.one(of: words.claims).reduce(.name("auth")) { object, name in
            if let number = Double(name) { return .index(object, .literal(.number(number))) }
            return random.index(4) == 0
                ? .index(object, .literal(.text(name))) : .member(object, name)
        }
    }

    private func identity(using random: inout some RandomNumberGenerator) -> NaiveRule {
        let claim = claim(using: &random)
        let sign = random.one(of: ["==", "==", "!=", "===", "!=="])
        return .binary(sign, claim, text(0, using: &random))
    }

    private func query(using random: inout some RandomNumberGenerator) -> NaiveRule {
        func property(_ name: String) -> NaiveRule { .member(.name("query"), name) }
        switch random.index(6) {
        case 0: return property(random.one(of: ["orderByKey", "orderByPriority", "orderByValue"]))
        case 1: return .binary("==", property("orderByChild"), text(0, using: &random))
        case 2:
            let bound = property(random.one(of: ["startAt", "endAt", "equalTo"]))
            return .binary(random.one(of: ["==", "!="]), bound, any(0, using: &random))
        default:
            let limit = property(random.one(of: ["limitToFirst", "limitToLast"]))
            let sign = random.one(of: ["<", "<=", ">", ">=", "==", "!="])
            return .binary(sign, limit, .literal(.number(Double(1 + random.index(5)))))
        }
    }

    // MARK: Of values

    private func comparison(
        _ depth: Int, using random: inout some RandomNumberGenerator
    ) -> NaiveRule {
        let sign = random.one(of: ["==", "!=", "<", "<=", ">", ">="])
        let isNumber = random.index(2) == 0
        let left = isNumber ? number(depth - 1, using: &random) : text(depth - 1, using: &random)
        if sign == "==" || sign == "!=" {
            return .binary(sign, left, any(depth - 1, using: &random))
        }
        let right = isNumber ? number(depth - 1, using: &random) : text(depth - 1, using: &random)
        return .binary(sign, left, right)
    }

    /// An operand of `==`.
    func any(_ depth: Int, using random: inout some RandomNumberGenerator) -> NaiveRule {
        switch random.index(5) {
        case 0: .literal(.null)
        case 1: .literal(.truth(random.index(2) == 0))
        case 2: number(depth, using: &random)
        case 3: text(depth, using: &random)
        default: stored(using: &random)
        }
    }

    private func stored(using random: inout some RandomNumberGenerator) -> NaiveRule {
        let method = random.index(8) == 0 ? "getPriority" : "val"
        return .call(place(using: &random), method, [])
    }

    private func number(
        _ depth: Int, using random: inout some RandomNumberGenerator
    ) -> NaiveRule {
        switch random.index(depth <= 0 ? 4 : 7) {
        case 0: return .literal(.number(random.one(of: [0, 1, 2, 3, 0.5, 10, 16])))
        // No rule for reads uses the time: a listen continues while time passes.
        case 1 where kind != ".read": return .name("now")
        case 1, 2, 3: return stored(using: &random)
        case 4: return .member(.call(place(using: &random), "val", []), "length")
        case 5: return .negative(number(depth - 1, using: &random))
        default:
            let left = number(depth - 1, using: &random)
            return .binary(
                random.one(of: ["-", "*", "/", "%"]), left, number(depth - 1, using: &random))
        }
    }

    /// An expression whose value may be a string.
    func text(_ depth: Int, using random: inout some RandomNumberGenerator) -> NaiveRule {
        switch random.index(depth <= 0 ? 5 : 9) {
        case 0: return claim(using: &random)
        case 1 where !wildcards.isEmpty: return .name(random.one(of: wildcards))
        case 1, 2: return .literal(.text(random.one(of: words.texts)))
        case 3, 4: return .call(place(using: &random), "val", [])
        case 5:
            let left = text(depth - 1, using: &random)
            let right = NaiveRule.literal(.text(random.one(of: words.texts)))
            return random.index(2) == 0 ? .binary("+", left, right) : .binary("+", right, left)
        case 6:
            let method = random.one(of: ["toLowerCase", "toUpperCase"])
            return .call(text(depth - 1, using: &random), method, [])
        case 7:
            let object = text(depth - 1, using: &random)
            return .call(
                object, "replace",
                [piece(using: &random), .literal(.text(random.one(of: words.texts)))])
        default:
            return .binary(
                "+", .literal(.text("")), .literal(.number(Double(random.index(4)) / 2)))
        }
    }

    /// A text that another may have in it.
    private func piece(using random: inout some RandomNumberGenerator) -> NaiveRule {
        let units = Array(random.one(of: words.texts).unicodeScalars)
        let start = random.index(units.count + 1)
        let count = min(units.count - start, random.index(3))
        var text = ""
        text.unicodeScalars.append(contentsOf: units[start..<start + count])
        return .literal(.text(text))
    }

    private func ofText(
        _ depth: Int, using random: inout some RandomNumberGenerator
    ) -> NaiveRule {
        let text = text(depth - 1, using: &random)
        let method = random.one(of: ["contains", "beginsWith", "endsWith", "matches", "matches"])
        if method == "matches" {
            return .call(text, method, [.pattern(.drawn(words, using: &random))])
        }
        let isPiece = random.index(3) > 0
        return .call(
            text, method, [isPiece ? piece(using: &random) : self.text(0, using: &random)])
    }
}
