internal import ClientCore
internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import Threads

extension Verb {
    private static let expression = Argument(
        "EXPRESSION",
        "'value + 1' (or -, *, max, min; anything but a number counts as 0), or 'OLD -> NEW' "
            + "with two JSON values, which gives up unless the value is OLD.")

    private static let local = Option(
        flag: "local",
        "Let the connected node decide alone, even while it is partitioned. If another node "
            + "decides another transaction meanwhile, one of the two updates is lost.")

    static let transaction = Verb(
        "transaction",
        "Changes a value depending on its current value: reads it, computes the next one, and "
            + "writes that unless another write came first. Then it tries again. The coordinator "
            + "decides, so no two transactions at any nodes replace the same value. This needs more "
            + "than half of the nodes; without a majority, the command fails after --timeout. "
            + "Prints the new value. Ends with 1 if it gave up.",
        arguments: [DataArguments.path, expression], options: NodeClient.options + [local],
        examples: [
            "hearth transaction /posts/a/stars 'value + 1' --node n1",
            "hearth transaction /doors/front '\"open\" -> \"closed\"' --node n1",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let expression = try TransactionExpression(invocation[expression])
        let scope: Request.TransactionScope = invocation.has(local) ? .local : .cluster
        let answer = try NodeClient(for: invocation).transact(at: path, scope) { value in
            expression.applied(to: value).map { .value($0) } ?? .abort
        }
        switch answer {
        case .committed(let value):
            StandardOutput.shared.print(JSONWriter.text(of: value))
            return expression.accepts(value) ? .success : .checkFailed
        case .aborted(let value), .value(let value):
            StandardOutput.shared.print(JSONWriter.text(of: value))
            return .checkFailed
        case .done: return .success
        }
    }
}

extension NodeClient {
    /// Runs a transaction, and waits for its outcome.
    fileprivate func transact(
        at path: Path, _ scope: Request.TransactionScope,
        _ update: @escaping @Sendable (Value) -> TransactionResult
    ) throws(CommandError) -> Answer {
        try waiting { completion in
            connection.transact(
                at: path, scope: scope, patience: patience, update: update,
                completion: completion)
        }
    }
}
