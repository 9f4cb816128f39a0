import DataTree

// How a scenario says what else its clients do:
//
//     "mix" weight ("set" | "push") place value
//     "mix" weight "increment" place number
//     "mix" weight ("remove" | "get") place
//     "mix" weight "transfer" place number ["in-transaction"]
//
// Places, values and numbers are templates.

extension MixedRequest {
    private static let verbs = ["set", "push", "increment", "remove", "get", "transfer"]

    /// Reads the rest of a line behind `mix`.
    static func read(_ line: inout ScenarioLine) throws(ScenarioError) -> MixedRequest {
        let text = line.rest.text
        let weight = try line.removeFirst().count(in: 1...1_000)
        let verb = line.removeFirst()
        guard verbs.contains(verb.text) else { throw .unknown(verb, known: verbs) }
        let place = try line.removeFirst().placeTemplate()
        let action: Action
        switch verb.text {
        case "set": action = .set(place, try line.removeFirst().valueTemplate())
        case "push": action = .push(place, try line.removeFirst().valueTemplate())
        case "increment": action = .increment(place, try line.removeFirst().numberTemplate())
        case "remove": action = .remove(place)
        case "get": action = .get(place)
        default:
            let amount = try line.removeFirst().numberTemplate()
            action = .transfer(place, amount: amount, try readWay(&line))
        }
        return MixedRequest(weight: weight, action: action, text: text)
    }

    private static func readWay(
        _ line: inout ScenarioLine
    ) throws(ScenarioError) -> Transfer.Way {
        if line.isAtEnd { return .reading }
        let word = line.removeFirst()
        guard word.text == "in-transaction" else { throw .unknown(word, known: ["in-transaction"]) }
        return .transaction
    }
}

extension ScenarioWord {
    fileprivate func placeTemplate() throws(ScenarioError) -> TextTemplate {
        let template = try template()
        for example in template.examples {
            _ = try ScenarioWord(text: example, line: line, column: column, isEnd: isEnd).path()
        }
        return template
    }

    fileprivate func valueTemplate() throws(ScenarioError) -> TextTemplate {
        let template = try template()
        for example in template.examples {
            _ = try ScenarioWord(text: example, line: line, column: column, isEnd: isEnd).value()
        }
        return template
    }

    fileprivate func numberTemplate() throws(ScenarioError) -> TextTemplate {
        let template = try template()
        for example in template.examples {
            let word = ScenarioWord(text: example, line: line, column: column, isEnd: isEnd)
            guard (try? word.value().number) != nil else {
                throw .expected("a number, or a drawn one such as (1..20)", found: self)
            }
        }
        return template
    }
}
