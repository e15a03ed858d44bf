// events.ts: the selected event: what happened, in numbers, and the look into it; and the list of all events.
import { Happening } from './data';
import { Diagram } from './diagram';
import { Source, csv_of, out_buttons } from './out';
import { event_text, is_impulsive, is_verdict } from './run';
import { SqueezeCharts } from './squeeze';
import { State } from './state';
import { Theme } from './theme';
import { draw_glyph } from './timeline';
import { clock, element, whose, with_unit } from './words';

const LISTED = 400;

export class Events {
  readonly panel = element('section', 'card event'); // the selected one
  readonly table = element('section', 'card events'); // all of them
  private head = element('header');
  private facts = element('dl', 'facts');
  private note = element('p', 'note');
  private diagram: Diagram;
  private squeeze: SqueezeCharts;
  private look = element('div', 'look');
  private list = element('ol', 'list');
  private rows: { index: number; row: HTMLElement; glyph: HTMLCanvasElement }[] = [];
  private count = element('header');
  private listed = -1;
  private shown = -2;
  private painted = '';

  private theme!: Theme;
  readonly source: Source = {
    name: 'impact', shown: () => !this.look.hidden && this.state.selected !== null, csv: () => this.csv(), svg: () => this.svg(),
  };

  constructor(readonly state: State) {
    this.diagram = new Diagram(state);
    this.squeeze = new SqueezeCharts(state);
    this.look.append(this.diagram.plane.canvas, this.diagram.course.canvas, this.squeeze.loop.canvas, this.squeeze.course.canvas);
    this.panel.append(this.head, this.note, this.facts, this.look);
    this.table.append(this.count, this.list);
    this.refill();
  }

  // The list anew; of a live run whenever something has happened.
  refill() {
    const { state } = this;
    const events = state.run.head.events;
    const n = state.run.head.event_count;
    if (this.listed === events.length) return;
    this.listed = events.length;
    this.count.textContent = n === 1 ? '1 event' : `${n} events`;
    this.table.hidden = n === 0;
    this.rows = [];
    this.painted = '';
    this.shown = -2;
    this.list.replaceChildren();
    // Impacts and verdicts first in importance: where there are too many events the others are left out.
    const all = events.map((_, i) => i);
    const chosen = events.length <= LISTED ? all : all.filter((i) => is_impulsive(events[i]) || is_verdict(events[i])).slice(0, LISTED);
    for (const index of chosen) this.add_row(index, events[index]);
    if (chosen.length < events.length) this.list.append(element('li', 'more', `${events.length - chosen.length} more on the timeline`));
  }

  private add_row(index: number, e: Happening) {
    const row = element('li');
    const glyph = element('canvas');
    glyph.width = glyph.height = 32;
    const name = element('span', 'name', whose(e));
    name.title = whose(e);
    const size = e.impulse ? with_unit(Math.abs(e.impulse), 'N s') : '';
    row.append(glyph, element('span', 'time', clock(e.t, this.state.end)), element('span', 'kind', e.kind), name, element('span', 'size', size));
    row.addEventListener('click', () => this.state.select_event(index));
    row.dataset.contact = e.name;
    this.rows.push({ index, row, glyph });
    this.list.append(row);
  }

  private paint_rows(theme: Theme) {
    const key = String(theme.dark);
    if (key === this.painted) return;
    this.painted = key;
    for (const { index, glyph } of this.rows) {
      const c = glyph.getContext('2d')!;
      c.setTransform(2, 0, 0, 2, 0, 0);
      c.clearRect(0, 0, 16, 16);
      draw_glyph(c, this.state.run.head.events[index], 8, 8, theme, false);
    }
  }

  private tell(e: Happening | null) {
    this.head.replaceChildren();
    this.facts.replaceChildren();
    this.note.textContent = e?.note ?? '';
    this.panel.hidden = !e;
    if (!e) return;
    const title = element('span', 'title', `${e.kind[0].toUpperCase()}${e.kind.slice(1)} · ${whose(e)}`);
    title.title = title.textContent ?? '';
    this.head.append(title);
    this.head.append(element('span', 'value', `${clock(e.t, this.state.view[1] - this.state.view[0])} s`), out_buttons(this.state.run.head.run, this.source));
    this.head.dataset.contact = e.name;
    const fact = (name: string, value: string) => this.facts.append(element('dt', '', name), element('dd', '', value));
    const x = this.state.run.impact_of(e);
    fact('event', event_text(e));
    if (e.before === e.after && e.before !== undefined) fact('speed', with_unit(e.before, 'm/s'));
    else if (e.before !== undefined || e.after !== undefined) {
      fact('speed', `${with_unit(e.before ?? 0, 'm/s')} → ${with_unit(e.after ?? 0, 'm/s')}`);
    }
    if (e.kind === 'impact' && e.before && e.before < 0) fact('restitution', (-(e.after ?? 0) / e.before).toFixed(3));
    if (e.impulse) fact('impulse', with_unit(e.impulse, 'N s') + (e.friction ? `, friction ${with_unit(e.friction, 'N s')}` : ''));
    if (e.Dn || e.Dt) fact('lost', `${with_unit(e.Dn ?? 0, 'J')} normal, ${with_unit(e.Dt ?? 0, 'J')} friction`);
    else if (e.work) fact('work', with_unit(e.work, 'J'));
    if (x) fact('law', `${x.law}, e = ${x.contacts[0].e}, µ = ${x.contacts[0].mu_k}` +
      (x.contacts.length > 1 ? `; ${x.contacts.length} contacts together${x.form ? ` (${x.form})` : ''}` : ''));
  }

  private into_sight(row: HTMLElement) { // moves the list only, not the panel around it
    const { list } = this;
    const top = row.offsetTop - list.offsetTop;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + row.offsetHeight - list.clientHeight;
  }

  // The path of a single impact, the impulses of several contacts, or a squeeze in its course; else the facts.
  private csv(): string {
    const e = this.state.selected!;
    const x = this.state.run.impact_of(e);
    if (x?.path) {
      const names = ['p_t1 [N s]', 'p_t2 [N s]', 'p_n [N s]', 'u_t1 [m/s]', 'u_t2 [m/s]', 'u_n [m/s]', 'Wn [J]', 'Wt [J]'];
      return csv_of(names, names.map((_, k) => x.path!.map((row) => row[k])));
    }
    if (x) {
      const names = ['slot', 'e', 'mu_k', 'u_t1 [m/s]', 'u_t2 [m/s]', 'u_n [m/s]', 'p_t1 [N s]', 'p_t2 [N s]', 'p_n [N s]'];
      const rows = x.contacts.map((c) => [c.slot, c.e, c.mu_k, ...c.u, ...c.p]);
      return csv_of(names, names.map((_, k) => rows.map((row) => row[k])));
    }
    return this.squeeze.csv(e) ?? csv_of(['t [s]', 'before [m/s]', 'after [m/s]', 'impulse [N s]'], [[e.t], [e.before ?? 0], [e.after ?? 0], [e.impulse ?? 0]]);
  }

  private svg(): string[] {
    const e = this.state.selected!, { theme, diagram, squeeze } = this;
    const x = this.state.run.impact_of(e);
    const charts = x ? [diagram.plane, diagram.course] : [squeeze.loop, squeeze.course];
    return charts.filter((c) => !c.canvas.hidden).map((c) => c.svg(() => (x ? diagram.draw(x, e.slot ?? -1, theme) : squeeze.draw(e, theme)), theme));
  }

  draw(theme: Theme) {
    const { state } = this;
    const e = state.selected;
    this.theme = theme;
    this.paint_rows(theme);
    if (this.shown !== state.event) {
      this.shown = state.event;
      this.tell(e);
      for (const { index, row } of this.rows) {
        row.classList.toggle('on', index === state.event);
        if (index === state.event) this.into_sight(row);
      }
    }
    const x = e && state.run.impact_of(e);
    this.diagram.plane.canvas.hidden = this.diagram.course.canvas.hidden = !x;
    this.squeeze.loop.canvas.hidden = this.squeeze.course.canvas.hidden = true;
    if (x) this.diagram.draw(x, e.slot ?? -1, theme);
    else if (e) {
      this.squeeze.loop.canvas.hidden = this.squeeze.course.canvas.hidden = false;
      if (!this.squeeze.draw(e, theme)) this.squeeze.loop.canvas.hidden = this.squeeze.course.canvas.hidden = true;
    }
  }
}
