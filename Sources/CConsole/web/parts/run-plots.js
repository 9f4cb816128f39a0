// Plots of a recorded run: when operations are visible and stable, and what losses and memory come to.

import { plot } from './plot.js';

const milliseconds = (number) => (number >= 1000 ? `${Number((number / 1000).toFixed(1))} s` : `${Number(number.toFixed(1))} ms`);
const seconds = (number) => `${Number(number.toFixed(1))} s`;
const percent = (number) => `${Math.round(number)}%`;

/** The share of numbers up to each number, as points. */
function shares(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const step = Math.max(1, Math.floor(sorted.length / 200));
  const points = [];
  for (let index = 0; index < sorted.length; index += step) points.push([sorted[index], (index + 1) / sorted.length * 100]);
  if (sorted.length > 0) points.push([sorted.at(-1), 100]);
  return points;
}

/** For each operation, how long after its origin all nodes had it, in milliseconds. */
export function timesToVisible(run) {
  const times = [];
  const held = new Map();
  for (const [event, node, origin, upTo] of run.held) {
    const key = `${node} ${origin}`;
    if (!held.has(key)) held.set(key, []);
    held.get(key).push([upTo, run.times[event] / 1000]);
  }
  for (const [origin, sequence] of run.operations) {
    const arrivals = run.nodes.map((_, node) => held.get(`${node} ${origin}`)?.find(([upTo]) => upTo >= sequence)?.[1]);
    if (arrivals.every((time) => time !== undefined)) times.push(Math.max(...arrivals) - Math.min(...arrivals));
  }
  return times;
}

/** For each operation, how long after its first node had it all nodes count it as stable, in milliseconds. */
export function timesToStable(run) {
  const first = new Map();
  for (const [event, , origin, upTo] of run.held) {
    if (!first.has(origin)) first.set(origin, []);
    first.get(origin).push([upTo, run.times[event] / 1000]);
  }
  const stable = run.nodes.map((_, node) => run.stable.filter((entry) => entry[1] === node).map(([event, , time]) => [time, run.times[event] / 1000]));
  const times = [];
  for (const [origin, sequence, , time] of run.operations) {
    const begin = first.get(origin)?.find(([upTo]) => upTo >= sequence)?.[1];
    const ends = stable.map((list) => list.find(([upTo]) => upTo >= time)?.[1]);
    if (begin !== undefined && ends.every((end) => end !== undefined)) times.push(Math.max(0, Math.max(...ends) - begin));
  }
  return times;
}

/** The plots of a run that has anything to plot. */
export function runPlots(run) {
  const [visible, stable] = [timesToVisible(run), timesToStable(run)];
  const samples = run.samples.map(([event, ...counts]) => [run.times[event] / 1e6, ...counts]);
  const last = samples.at(-1) ?? [0, 0, 0, 0, 0];
  const line = (name, column) => ({ name, points: samples.map((sample) => [sample[0], sample[column]]) });
  return [
    visible.length > 0 && plot({ title: 'Time until all nodes show an operation', series: [{ name: `${visible.length} operations`, points: shares(visible) }], x: milliseconds, y: percent }),
    stable.length > 0 && plot({ title: 'Time until an operation is stable everywhere', series: [{ name: `${stable.length} operations`, points: shares(stable) }], x: milliseconds, y: percent }),
    samples.length > 1 && plot({ title: 'Lost frames and repaired operations', series: [line('lost frames', 2), line('repaired operations', 3)], x: seconds, note: last[2] > 0 ? `${(last[3] / last[2]).toFixed(2)} repaired operations for each lost frame.` : 'No frame was lost.' }),
    samples.length > 1 && plot({ title: 'Registers that nodes keep', series: [line('registers of all nodes', 4)], x: seconds, note: `${last[4]} registers are left at the end.` }),
  ].filter(Boolean);
}
