// Plots of numbers: lines over a common axis.

import { h } from '../base/dom.js';

const [width, height] = [420, 190];
const edges = { left: 52, right: 12, top: 10, bottom: 28 };
const colours = ['blue', 'accent', 'good', 'violet', 'bad'];

function shape(name, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Round numbers from 0 to at least a number. */
export function ticks(most, count = 4) {
  if (!(most > 0)) return [0, 1];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((candidate) => candidate >= rough);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** A plot of series of points `[x, y]`, with a legend; `step` is the distance of marks on the axis of x. */
export function plot({ title, series, x: xText, y: yText = String, step, note }) {
  const points = series.flatMap((one) => one.points);
  const end = Math.max(...points.map((point) => point[0]), 0);
  const [xs, ys] = [step ? Array.from({ length: Math.ceil(end / step) + 1 }, (_, index) => index * step) : ticks(end, 4), ticks(Math.max(...points.map((point) => point[1]), 0), 3)];
  const place = ([x, y]) => [
    edges.left + x / xs.at(-1) * (width - edges.left - edges.right),
    height - edges.bottom - y / ys.at(-1) * (height - edges.top - edges.bottom),
  ];
  const picture = shape('svg', { viewBox: `0 0 ${width} ${height}`, class: 'plot', role: 'img', 'aria-label': `${title}. ${series.map((one) => `${one.name}: ${one.points.length} points, last ${yText(one.points.at(-1)?.[1] ?? 0)}`).join('; ')}` });
  for (const y of ys) {
    const [, top] = place([0, y]);
    picture.append(shape('line', { x1: edges.left, x2: width - edges.right, y1: top, y2: top, class: 'grid' }), shape('text', { x: edges.left - 8, y: top + 4, class: 'end' }, yText(y)));
  }
  xs.forEach((x, index) => {
    const isLast = index === xs.length - 1;
    picture.append(shape('text', { x: isLast ? width - 2 : place([x, 0])[0], y: height - 8, class: isLast ? 'end' : 'middle' }, xText(x)));
  });
  series.forEach((one, index) => picture.append(shape('polyline', { points: one.points.map((point) => place(point).map((number) => number.toFixed(1)).join(',')).join(' '), class: `series ${colours[index % colours.length]}` })));
  return h('figure', { class: 'plot-box' }, h('figcaption', {}, h('h3', {}, title), h('div', { class: 'keys' }, series.map((one, index) => h('span', {}, h('i', { class: colours[index % colours.length] }), one.name)))),
    picture, note && h('p', { class: 'muted' }, note));
}
