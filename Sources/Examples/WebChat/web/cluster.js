// A Hearth cluster, by REST and an event stream. While a node does not answer, the next one is used.

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Cluster {
  onState = (text) => {};
  onExpired = () => {};
  reconnect = () => {};
  failures = 0; // attempts since a node has answered
  refusal = ""; // of the last answer

  constructor({ nodes, token }) {
    Object.assign(this, { nodes: [...nodes], token });
  }

  url(path, query) {
    return `${this.nodes[0]}/${path}.json?${new URLSearchParams(query)}`;
  }

  /** Why the stream is not connected, as far as the page knows. A browser hides why a connection fails. */
  get waiting() {
    return this.failures < this.nodes.length ? this.refusal || "connecting …" : "no node answers; trying again …";
  }

  /** Repeats a request until a node answers: do this with GET, PUT and DELETE alone. Throws a refusal of the rules. */
  async request(method, path, query, value) {
    for (;;) {
      const node = this.nodes[0];
      const { status, answer } = await this.attempt(method, path, query, value).catch(() => ({ status: 503 }));
      this.failures = status < 500 ? 0 : this.failures + 1;
      this.refusal = status < 300 ? "" : (answer?.error ?? "");
      if (status < 300) return answer;
      if (status === 401 && answer.error !== "Permission denied") this.onExpired(answer.error);
      if (status < 500) throw new Error(answer.error);
      await pause(500);
      this.leave(node);
    }
  }

  async attempt(method, path, query, value) {
    const headers = { Authorization: `Bearer ${this.token}` };
    const signal = AbortSignal.timeout(5_000);
    const response = await fetch(this.url(path, query), { method, headers, signal, body: JSON.stringify(value) });
    return { status: response.status, answer: await response.json() };
  }

  /** Turns to the next node, unless another request has already done so. */
  leave(node) {
    if (node !== this.nodes[0]) return;
    this.nodes.push(this.nodes.shift());
    this.reconnect();
  }

  /** Calls `show` with the result of a query, and again after each change, until the next call of `listen`. */
  listen(path, query, show) {
    this.reconnect = () => {
      this.stream?.close();
      this.onState(this.waiting);
      const node = this.nodes[0];
      // An EventSource sends no headers, so the address contains the token.
      const stream = (this.stream = new EventSource(this.url(path, { ...query, auth: this.token })));
      let result = null;
      const apply = ({ type, data: text }) => {
        const { path, data } = JSON.parse(text);
        const changes = type === "put" ? { "": data } : data; // A patch has data for several paths.
        for (const key in changes) result = changed(result, keys(`${path}/${key}`), changes[key]);
        show(result);
      };
      for (const type of ["put", "patch"]) stream.addEventListener(type, apply);
      stream.addEventListener("auth_revoked", () => this.onExpired("The token has expired."));
      stream.onopen = () => this.onState(`connected to ${new URL(node).host}`);
      stream.onerror = async () => {
        stream.close();
        this.onState(this.waiting);
        await pause(500);
        if (this.stream === stream) this.leave(node);
      };
    };
    this.reconnect();
  }
}

const keys = (path) => path.split("/").filter(Boolean);

/** A copy of a tree with other data at a path. */
function changed(tree, [key, ...rest], data) {
  if (key === undefined) return data;
  const copy = { ...tree, [key]: changed(tree?.[key], rest, data) };
  if (copy[key] === null) delete copy[key];
  return copy;
}
