// Times of runs as people read them.

/** A time since the beginning of a run, given in microseconds. */
export function clock(microseconds, step = 1) {
  const digits = step >= 1e6 ? 0 : step >= 1e5 ? 1 : step >= 1e4 ? 2 : step >= 1e3 ? 3 : step > 1 ? 4 : 3;
  return `${(Math.max(0, microseconds) / 1e6).toFixed(digits)} s`;
}
