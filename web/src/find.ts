// find.ts: all that has a name in a run, for the palette; and what a place of the picture offers.
import { Item } from './palette';
import { Menu, Offer } from './menu';
import { Picture } from './scene';
import { body_channels, contact_channels } from './run';
import { State } from './state';
import { clock, whose } from './words';

const EVENTS = 5000; // that are searched

export function all_items(state: State, plot: (name: string) => void): Item[] {
  const { head } = state.run;
  const select = (body: number) => {
    state.body = body;
    state.changed();
  };
  const items: Item[] = head.bodies.slice(1).map((b, k) => ({ kind: 'body', name: b.name, hint: b.kind ?? '', run: () => select(k + 1) }));
  for (const c of head.contacts) {
    items.push({ kind: 'contact', name: c.name, hint: c.law ?? '', run: () => contact_channels(state.run, c.name).forEach(plot) });
  }
  for (const c of head.channels) {
    items.push({ kind: 'channel', name: c.name, hint: c.constant === undefined ? c.unit : `always ${c.constant} ${c.unit}`, run: () => plot(c.name) });
  }
  head.events.slice(0, EVENTS).forEach((e, i) => {
    items.push({ kind: 'event', name: `${e.kind} ${whose(e)}`, hint: `${clock(e.t, state.end)} s`, run: () => state.select_event(i) });
  });
  return items;
}

// The contact or the body at a place, and what can be plotted of it.
export function offers_at(state: State, picture: Picture, menu: Menu, x: number, y: number): Offer[] {
  const contact = picture.contact_at(x, y);
  if (contact) return menu.plots(contact_channels(state.run, contact));
  const body = picture.body_at(x, y);
  if (body < 1) return [];
  const select = (follow: boolean) => {
    state.body = body;
    state.flags.follow = follow;
    state.changed();
  };
  const { name } = state.run.head.bodies[body];
  return [{ text: `select ${name}`, run: () => select(state.flags.follow) }, { text: `follow ${name}`, run: () => select(true) },
    ...menu.plots(body_channels(state.run, body).slice(0, 14))];
}
