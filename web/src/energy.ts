// energy.ts: the energy account as a stack that is always in sight: what there is now (motion, height, springs) below, what
// has been lost (dampers, sliding, impacts) above. The line on top is what was put in; what lies between the two is the residue.
import { Chart } from './chart';
import { Source, csv_of, out_buttons } from './out';
import { Frames, LEDGER } from './data';
import { Run } from './run';
import { State } from './state';
import { Theme } from './theme';
import { element, with_unit } from './words';

const ROWS: { name: string; text: string; channels: string; from: (get: (row: string) => number) => number }[] = [
  { name: 'motion', text: 'kinetic energy', channels: 'energy.kinetic', from: (g) => g('kinetic') },
  { name: 'height', text: 'potential energy, above the lowest of the run', channels: 'energy.potential', from: (g) => g('potential') },
  { name: 'springs', text: 'stored in joint springs and contacts', channels: 'energy.spring energy.contact', from: (g) => g('spring') + g('contact') },
  { name: 'dampers', text: 'lost so far to dampers and dry friction', channels: 'energy.damper energy.contact_damper', from: (g) => g('damper') + g('contact_damper') },
  { name: 'sliding', text: 'lost so far by sliding', channels: 'energy.sliding', from: (g) => g('sliding') },
  { name: 'impacts', text: 'lost so far at impacts', channels: 'energy.event', from: (g) => -g('event') },
];

const HEIGHT = 1; // row whose zero is chosen

export class Energy {
  readonly panel = element('section', 'card energy');
  private chart = new Chart('chart');
  private legend = element('div', 'legend');
  private stack: Float64Array[] = []; // sums up to each row, at each frame
  private given = new Float64Array(0);
  private t: ArrayLike<number> = [];
  private items: HTMLElement[] = [];
  private summed: Frames | null = null;
  private summed_zooms = 0;
  private base = 0; // [J] lowest potential
  private most = 1;
  private values: HTMLElement[] = [];
  private residue: HTMLElement;
  private hand = element('span', 'item');

  private theme!: Theme;
  readonly source: Source = {
    name: 'energy', shown: () => this.t.length > 0, csv: () => this.csv(),
    svg: () => [this.chart.svg(() => this.draw_stack(this.theme), this.theme)],
  };

  constructor(readonly state: State) {
    const head = element('header', '', 'Energy ledger');
    this.residue = element('span', 'value');
    this.residue.dataset.plot = 'energy.residue';
    head.append(this.residue, out_buttons(state.run.head.run, this.source));
    this.panel.append(head, this.chart.canvas, this.legend);
    const run = state.run;
    this.sum(run);
    ROWS.forEach((row, k) => {
      const item = element('span', 'item');
      const key = element('i', `swatch e${k}`);
      const value = element('b');
      item.title = row.text;
      item.dataset.plot = row.channels;
      item.append(key, row.name, ' ', value);
      this.values.push(value);
      this.items.push(item);
      this.legend.append(item);
    });
    const doc = (name: string) => run.head.ledger.find((row) => row.name === name)?.doc ?? '';
    this.hand.title = doc('hand');
    this.residue.title = doc('residue');
    this.legend.append(this.hand);
    this.chart.canvas.addEventListener('pointerdown', (e) => this.state.seek(this.chart.at_px(e.offsetX)));
    this.chart.canvas.addEventListener('pointermove', (e) => {
      if (e.buttons & 1) this.state.seek(this.chart.at_px(e.offsetX));
    });
  }

  // Frames in the order of time; where there is a zoom, those of the zoom.
  private all_frames(run: Run): { block: Frames; i: number }[] {
    const all: { block: Frames; i: number }[] = [];
    const zooms = [...run.zooms].sort((a, b) => a.t[0] - b.t[0]);
    const add = (block: Frames, i: number) => all.push({ block, i });
    let z = 0;
    for (let i = 0; run.frames && i < run.frames.count; i++) {
      const t = run.frames.t[i];
      while (z < zooms.length && zooms[z].t[0] <= t) {
        for (let k = 0; k < zooms[z].count; k++) add(zooms[z], k);
        z++;
      }
      const last = all[all.length - 1];
      if (!last || t > last.block.t[last.i]) add(run.frames, i);
    }
    return all;
  }

  private sum(run: Run) {
    const frames = this.all_frames(run), n = frames.length;
    const names = run.head.ledger.map((r) => r.name);
    const getter = (k: number) => (row: string) => frames[k].block.ledger[frames[k].i * LEDGER + names.indexOf(row)];
    this.summed = run.frames;
    this.summed_zooms = run.zooms.length;
    this.t = frames.map(({ block, i }) => block.t[i]);
    this.stack = ROWS.map(() => new Float64Array(n));
    this.given = new Float64Array(n);
    this.base = Infinity;
    this.most = 1e-9;
    for (let i = 0; i < n; i++) this.base = Math.min(this.base, getter(i)('potential'));
    for (let i = 0; i < n; i++) {
      const get = getter(i);
      let sum = 0;
      ROWS.forEach((row, k) => {
        sum += row.from(get) - (k === HEIGHT ? this.base : 0);
        this.stack[k][i] = sum;
      });
      this.given[i] = get('initial') + get('actuator') + get('external') + get('hand') - this.base;
      this.most = Math.max(this.most, sum, this.given[i]);
    }
  }

  private height(k: number, i: number): number {
    return this.stack[k][i] - (k > 0 ? this.stack[k - 1][i] : 0);
  }

  private used(k: number): boolean {
    for (let i = 0; i < this.t.length; i++) if (Math.abs(this.height(k, i)) > 1e-6 * this.most) return true;
    return false;
  }

  // Rows of the stack, what was put in, and the residue between them, at the times of the frames that are here.
  private csv(): string {
    const n = this.t.length, last = this.stack[ROWS.length - 1];
    const rows = ROWS.map((_, k) => Array.from({ length: n }, (_unused, i) => this.height(k, i)));
    return csv_of(['t [s]', ...ROWS.map((r) => `${r.name} [J]`), 'put in [J]', 'residue [J]'],
      [this.t, ...rows, this.given, Array.from({ length: n }, (_, i) => last[i] - this.given[i])]);
  }

  draw(theme: Theme) {
    const { state } = this;
    this.theme = theme;
    if (this.summed !== state.run.frames || this.summed_zooms !== state.run.zooms.length) this.sum(state.run);
    this.items.forEach((item, k) => (item.hidden = !this.used(k)));
    this.draw_stack(theme);
    this.tell();
  }

  private draw_stack(theme: Theme) {
    const { chart, state } = this;
    const c = chart.c;
    chart.x = state.view;
    chart.y = [0, this.most * 1.06];
    chart.begin([18, 14, 20, 46]);
    chart.axes(theme, '', 'J');
    const n = this.t.length;
    chart.clip(() => {
      for (let k = 0; k < ROWS.length; k++) {
        c.beginPath();
        for (let i = 0; i < n; i++) c.lineTo(chart.px(this.t[i]), chart.py(this.stack[k][i]));
        for (let i = n - 1; i >= 0; i--) {
          c.lineTo(chart.px(this.t[i]), chart.py(k > 0 ? this.stack[k - 1][i] : 0));
        }
        c.fillStyle = theme.energy[k];
        c.fill();
        if (k >= 3) this.hatch(theme, k);
      }
      c.strokeStyle = theme.ink;
      c.lineWidth = 1.2;
      c.setLineDash([5, 3]);
      chart.curve(n, (i) => this.t[i], (i) => this.given[i]);
      c.setLineDash([]);
    });
    chart.cursor(theme, state.t);
  }

  // What is lost is hatched: told from what is there without colour.
  private hatch(theme: Theme, k: number) {
    const { chart } = this;
    const c = chart.c;
    c.save();
    c.clip();
    c.strokeStyle = theme.panel;
    c.globalAlpha = 0.55;
    c.lineWidth = 1;
    const step = k === 3 ? 7 : 5, { left, top, width, height } = chart.box;
    const lean = k === 4 ? -1 : 1;
    for (let x = left - height; x < left + width + height; x += step) {
      chart.line(x, top + height, x + lean * (k === 5 ? 0 : height), top);
    }
    c.restore();
  }

  private word(x: number): string { // what is only rounding is nothing
    return with_unit(Math.abs(x) < Math.max(1e-12, 1e-9 * this.most) ? 0 : x, 'J');
  }

  private tell() {
    const { run, t } = this.state;
    const m = run.at(t);
    if (!m) return;
    const names = run.head.ledger.map((r) => r.name);
    const get = (row: string) => run.ledger(m, names.indexOf(row));
    ROWS.forEach((row, k) => (this.values[k].textContent = this.word(row.from(get) - (k === HEIGHT ? this.base : 0))));
    this.hand.textContent = `hand ${this.word(get('hand'))}`;
    this.hand.hidden = get('hand') === 0;
    const residue = get('residue');
    this.residue.textContent = `residue ${with_unit(residue, 'J')}`;
    this.residue.classList.toggle('bad', run.head.events.some((e) => e.kind === 'residue' && e.t <= t));
  }
}
