// The chosen event of a run with what led to it, and the events around it as a table.

import { button, fill, h, tableBox, tableHead } from '../base/dom.js';
import { visible } from '../base/format.js';
import { clock } from './run-text.js';

/** How many events the table has. */
const rows = 60;

/** Details of the chosen event. */
export function eventDetails(run, { onevent }) {
  const element = h('div', { class: 'event-details' });

  function link(event, text) {
    return button(`${text} ${clock(run.times[event])}`, { kind: 'quiet', onclick: () => onevent(event) });
  }

  function show(event) {
    const lane = run.lanes[run.lane(event)];
    const received = (run.receivedBy.get(event) ?? []).map((index) => run.messages[index]);
    const sent = (run.sentBy.get(event) ?? []).map((index) => run.messages[index]);
    fill(element,
      h('h3', {}, `${clock(run.times[event])} · event ${run.numbers[event]}`),
      h('p', {}, h('strong', {}, lane ? `${lane} ` : ''), run.kind(event), run.lanes[run.source(event)] ? ` from ${run.lanes[run.source(event)]}` : ''),
      texts('Carries', run.says(event)), texts('The node then', run.does(event)),
      received.length > 0 && h('div', { class: 'row wrap' }, received.map((message) => link(message.sent, `Sent by ${run.lanes[message.from]} at`))),
      sent.length > 0 && h('div', { class: 'row wrap' }, sent.slice(0, 12).map((message) => (message.received >= 0
        ? link(message.received, `${run.lanes[message.to]} receives ${message.isCopy ? 'a copy ' : ''}at`)
        : h('span', { class: message.received === -1 ? 'tag bad' : 'tag' }, `${message.received === -1 ? 'lost' : 'still on its way'} to ${run.lanes[message.to]}`)))));
  }

  return { element, show };
}

function texts(title, list) {
  return list.length > 0 && h('div', {}, h('h3', {}, title), h('ul', { class: 'said' }, list.map((text) => h('li', { class: 'mono' }, h('bdi', {}, visible(text))))));
}

/** A table of the events around the chosen one that a filter lets through. */
export function eventTable(run, { onevent, isShown }) {
  const body = h('tbody', {});
  const element = tableBox('Events', 'event-table',
    h('table', {}, tableHead(['Time', 'At', 'Event']), body));

  function show(event) {
    const events = [event];
    for (let at = event - 1; at >= 0 && events.length < rows / 2; at -= 1) if (isShown(at)) events.unshift(at);
    for (let at = event + 1; at < run.count && events.length < rows; at += 1) if (isShown(at)) events.push(at);
    fill(body, events.map((at) => h('tr', { 'aria-current': at === event ? 'true' : undefined },
      h('td', { class: 'number' }, h('button', { type: 'button', class: 'link', onclick: () => onevent(at) }, clock(run.times[at]))),
      h('td', {}, run.lanes[run.lane(at)] ?? ''), h('td', { class: 'mono wrap-anywhere' }, h('bdi', {}, visible(run.line(at)).slice(0, 260))))));
    const current = body.querySelector('[aria-current]');
    if (current) element.scrollTop = current.offsetTop - element.clientHeight / 2;
  }

  return { element, show };
}
