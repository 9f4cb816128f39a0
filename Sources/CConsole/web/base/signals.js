// Values that call their readers once they change.

/** A value with listeners. */
export class Signal {
  #value;
  #listeners = new Set();

  constructor(value) { this.#value = value; }

  get value() { return this.#value; }

  set value(next) {
    if (Object.is(next, this.#value)) return;
    this.#value = next;
    for (const listener of [...this.#listeners]) listener(next);
  }

  /** Calls a function with the value and with each later one; the result ends that. */
  follow(listener) {
    this.#listeners.add(listener);
    listener(this.#value);
    return () => this.#listeners.delete(listener);
  }
}
