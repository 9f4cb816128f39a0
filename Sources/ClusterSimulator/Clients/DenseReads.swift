import ClientCore
import DataTree
import QueryEngine

extension SDKClient {
    func expectedAnswer(to path: Path, _ query: Query) -> ReadExpectation {
        if let value = mirror.held(at: path, query, by: streams) { return .shown(value) }
        guard dense?.isOffline == true else { return .anything }
        return mirror.isTransacting || streams.contains { !$0.isOver } ? .anything : .offline
    }

    /// Judges the answer to a read.
    mutating func check(
        _ result: Result<Answer, HearthError>, of expected: ReadExpectation, at now: Microseconds
    ) {
        tally.count(.readsAgree)
        if case .failure(let error) = result, error.code == .full { return }
        switch (expected, result) {
        case (.shown(let value), .success(.value(let read))) where read == value: break
        case (.shown(let value), _):
            tally.report(
                .readsAgree,
                "reads \(result) at \(now.description), where a listener shows \(value)")
        case (.offline, .failure(let error)) where error.code == .offline: break
        case (.offline, _):
            tally.report(.readsAgree, "reads \(result) at \(now.description), while it is offline")
        case (.anything, .failure(let error)) where error.code == .offline:
            guard dense?.isOffline == false else { break }
            tally.report(
                .readsAgree, "is told at \(now.description) that it is offline, and is not")
        case (.anything, _): break
        }
    }

    /// Judges the answer to a request for a list of children.
    mutating func check(
        _ result: Result<Answer, HearthError>, of expected: ListingExpectation,
        at now: Microseconds
    ) {
        guard case .success(.value(let value)) = result else { return }
        tally.count(.readsAgree)
        guard let problem = expected.problem(with: value) else { return }
        tally.report(
            .readsAgree, "gets a list of children at \(now.description) that \(problem): \(value)")
    }

    // MARK: What has to be refused

    mutating func judgeRefusal(_ result: Result<Answer, HearthError>) {
        tally.count(.nonsenseIsRefused)
        if case .failure(let error) = result, error.effect == .none {
            if error.code == .invalid || error.code == .full { return }
        }
        tally.report(.nonsenseIsRefused, "asks for what nobody may do, and gets \(result)")
    }

    /// The library itself refuses invalid requests, so that neither a listener nor a node sees
    /// them.
    mutating func judgePromptness() {
        guard case .invalid? = open[nextRequestNumber - 1] else { return }
        tally.report(.nonsenseIsRefused, "asks for what nobody may do, and the library takes it")
    }

    /// Nothing that a dense program writes is refused as a whole but what it draws for that.
    mutating func judgeAcceptance(_ result: Result<Answer, HearthError>) {
        guard dense != nil, case .failure(let error) = result, error.code == .invalid else {
            return
        }
        tally.report(.nonsenseIsRefused, "asks for what everybody may do, and gets \(error)")
    }

    mutating func buildInvalidQuery() {
        tally.count(.nonsenseIsRefused)
        let before = random
        guard (try? RefusedQueries.build(&random)) != nil else { return }
        tally.report(.nonsenseIsRefused, "builds a query that nobody may ask, with \(before)")
    }
}
