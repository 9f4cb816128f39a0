internal import DataTree
internal import HTTPText

/// The answer to a request, before it is known how the connection frames it.
struct Answer {
    let status: Int
    private(set) var fields: [Field] = []
    /// Whether it waits a moment.
    private(set) var isPaced = false
    /// Nil for an answer that is a status alone.
    private(set) var text: AnswerText?

    /// A header of an answer.
    struct Field {
        let name: StaticString
        let value: String
    }

    /// An answer without a body.
    init(status: Int) { self.status = status }

    /// An answer with a body of some type.
    init(status: Int = 200, _ text: AnswerText, type: String) {
        self.status = status
        self.text = text
        fields = [Field(name: "Content-Type", value: type)]
    }

    /// The answer that a request is not done.
    init(_ failure: RestFailure) {
        self.init(
            status: failure.status, AnswerText(failure.body),
            type: "application/json; charset=utf-8")
        isPaced = failure.isPaced
        if failure.isPassing { append("Retry-After", "1") }
        if let location = failure.location { append("Location", location) }
        if failure.status == 401 { append("WWW-Authenticate", "Bearer") }
        if let denial = failure.denial { append("X-Firebase-Auth-Debug", denial) }
    }

    /// The answer with a value, in the form that the request asks for.
    init(status: Int = 200, _ value: Value, to request: RestRequest) {
        if status == 200, request.form.isSilent {
            self.init(status: 204)
        } else {
            self.init(
                status: status, AnswerText(value, in: request.form), type: request.form.contentType)
        }
        if let name = request.form.fileName {
            append("Content-Disposition", "attachment; filename=\"\(name)\"")
        }
    }

    /// Adds the reason of a refusal as headers, for native clients: they do not read the body.
    mutating func appendReason(of failure: RestFailure) {
        append("Hearth-Problem", failure.problem.asHeader)
        if let fix = failure.fix { append("Hearth-Fix", fix.asHeader) }
    }

    /// Adds a header.
    mutating func append(_ name: StaticString, _ value: String) {
        fields.append(Field(name: name, value: value))
    }
}
