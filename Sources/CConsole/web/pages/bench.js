// The page of a benchmark: for each work its latencies and its throughput, and a table of all figures.

import { card, fill, h, tableBox, tableHead } from '../base/dom.js';
import { plot } from '../parts/plot.js';

const record = JSON.parse(document.querySelector('script.record').textContent);

const rounded = (number) => String(Number(number.toPrecision(3)));
const duration = (us) => (us >= 1e6 ? `${rounded(us / 1e6)} s` : us >= 1e3 ? `${rounded(us / 1e3)} ms` : `${rounded(us)} µs`);
const rate = (number) => (number >= 1e6 ? `${rounded(number / 1e6)}M/s` : number >= 1e3 ? `${rounded(number / 1e3)}k/s` : `${rounded(number)}/s`);
const seconds = (number) => `${rounded(number)} s`;

/** The share of all that a number of nines stands for: 2 is 99%. */
const share = (nines) => (Number.isInteger(nines) ? `${nines === 0 ? 0 : nines < 3 ? '99'.slice(0, nines).padEnd(2, '0') : `99.${'9'.repeat(nines - 2)}`}%` : '');

/** A measurement: its plots; null without latencies. */
function measurement({ name, series }) {
  const lines = (key) => series.filter((one) => one[key].length > 1).map((one) => ({ name: one.name, points: one[key] }));
  const [latencies, rates] = [lines('latencies'), lines('rates')];
  if (latencies.length + rates.length === 0) return null;
  return card(name, h('div', { class: 'plots' },
    latencies.length > 0 && plot({ title: 'Latency percentiles', series: latencies, x: share, y: duration, step: 1 }),
    rates.length > 0 && plot({ title: 'Throughput', series: rates, x: seconds, y: rate })));
}

/** All figures. A bar behind a number shows its share of the largest in its column. */
function table({ columns, rows }) {
  const most = columns.map((_, column) => Math.max(...rows.map(({ values }) => Number(values[column]) || 0)));
  const cell = (text, value, column) => {
    const element = h('td', { class: 'number' }, text);
    if (typeof value === 'number' && most[column] > 0) element.style.setProperty('--share', `${value / most[column] * 100}%`);
    return element;
  };
  return tableBox('All figures', '', h('table', { class: 'figures' },
    tableHead(columns, [...columns.keys()].slice(1)),
    h('tbody', {}, rows.map(({ texts, values }) => h('tr', {}, h('th', { scope: 'row' }, texts[0]), texts.slice(1).map((text, index) => cell(text, values[index + 1], index + 1)))))));
}

fill(document.body, h('main', { class: 'report' },
  h('section', { class: 'card finding-card' }, h('div', { class: 'body stack tight' }, h('h1', {}, record.title, h('small', {}, ` ${record.heading}`)),
    record.sentence && h('p', { class: 'sentence' }, record.sentence), h('div', { class: 'command' }, h('code', { class: 'mono' }, record.command)))),
  record.rows.map(measurement),
  card('All figures', table(record))));
