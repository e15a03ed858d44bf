// plot.ts: any channel against time (uPlot) or against another channel (a phase plane); all runs in one plot, each with its
// own dash.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { Chart, range_of, tick_words } from './chart';
import { Source, csv_of, out_buttons } from './out';
import { Curve, Run, last_before } from './run';
import { State } from './state';
import { Theme } from './theme';
import { element, short } from './words';

const DASH = [[], [7, 4], [2, 3], [9, 3, 2, 3], [1, 3], [12, 4], [4, 4], [3, 6]];
const MOST = 8; // channels of one plot

export class Plot {
  readonly panel = element('section', 'card plot');
  private names: string[] = [];
  private against = 't';
  private chips = element('div', 'chips');
  private holder = element('div', 'uplot-holder');
  private phase = new Chart('chart');
  private plot: uPlot | null = null;
  private made_for = '';
  private theme!: Theme;
  private values: HTMLElement[] = [];

  private list = element('datalist');
  readonly source: Source = {
    name: 'plot', shown: () => this.curves().length > 0, csv: () => this.csv(),
    svg: () => [this.phase.svg(() => (this.against === 't' ? this.draw_timed() : this.draw_phase()), this.theme, [720, this.against === 't' ? 60 + 240 * this.units().length : 480])],
  };

  constructor(readonly state: State) {
    this.names = this.first_choice();
    this.list.id = 'channels';
    this.fill_list();
    const add = this.input('add a channel …', (name) => {
      if (!this.names.includes(name) && this.names.length < MOST) this.names.push(name);
      return '';
    });
    const x = this.input('t', (name) => {
      this.against = name;
      return name;
    });
    x.value = 't';
    x.classList.add('against');
    const against = element('label', 'against', 'against ');
    against.append(x);
    const head = element('header', '', 'Plot');
    head.append(against, out_buttons(state.run.head.run, this.source));
    this.panel.append(head, this.chips, this.holder, this.phase.canvas, add, this.list);
    new ResizeObserver(() => this.state.changed()).observe(this.panel);
  }

  private fill_list() {
    this.list.replaceChildren(...this.state.run.head.channels.map((c) => {
      const option = element('option');
      option.value = c.name;
      option.label = c.unit === '1' ? '' : c.unit;
      return option;
    }));
  }

  // The run has other channels.
  renew() {
    const known = new Set(this.state.run.head.channels.map((c) => c.name));
    this.fill_list();
    this.names = this.names.filter((name) => known.has(name));
    if (this.names.length === 0) this.names = this.first_choice();
    if (!known.has(this.against)) this.against = 't';
  }

  private input(placeholder: string, take: (name: string) => string): HTMLInputElement {
    const input = element('input');
    input.setAttribute('list', 'channels');
    input.placeholder = placeholder;
    input.setAttribute('aria-label', placeholder);
    input.addEventListener('change', () => {
      const name = input.value.trim();
      if (this.state.run.head.channels.some((c) => c.name === name)) input.value = take(name);
      else input.value = placeholder === 't' ? this.against : '';
      this.state.changed();
    });
    return input;
  }

  // Something to look at at once: the height of a body that moves, and a force of its first contact.
  private first_choice(): string[] {
    const run = this.state.run;
    const changes = (name: string) => run.head.channels.some((c) => c.name === name && c.constant === undefined);
    if (run.head.haptic) { // what a hand feels, and whether it got more than it gave
      return [...['x', 'y', 'z'].map((axis) => `haptic.wrench_f${axis}`).filter(changes), 'haptic.returned'];
    }
    const body = run.head.bodies.find((b) => b.moves)?.name ?? '';
    const force = run.head.channels.find((c) => /\.normal$/.test(c.name) && c.constant === undefined)?.name ?? '';
    const names = [`${body}.pz`, `${body}.px`].filter(changes).slice(0, 1);
    if (changes(force)) names.push(force);
    if (names.length === 0) names.push(run.head.channels.find((c) => c.name !== 't' && c.constant === undefined)?.name ?? 't');
    return names;
  }

  show(name: string) {
    if (!this.names.includes(name)) this.names = [...this.names.slice(-(MOST - 1)), name];
    this.state.changed();
  }

  private curves(): { run: Run; name: string; curve: Curve }[] {
    const all = [];
    for (const name of this.names) {
      for (const run of this.state.runs) {
        const curve = run.channel(name);
        if (curve) all.push({ run, name, curve });
      }
    }
    return all;
  }

  private make_chips() {
    this.chips.replaceChildren();
    this.values = [];
    this.names.forEach((name, k) => {
      const chip = element('button', 'chip');
      const key = element('i');
      key.style.background = this.theme.curves[k % this.theme.curves.length];
      const value = element('b');
      this.values.push(value);
      chip.append(key, name, ' ', value, element('s', '', '×'));
      chip.title = `remove ${name}`;
      chip.dataset.plot = name;
      chip.addEventListener('click', () => {
        this.names = this.names.filter((n) => n !== name);
        this.state.changed();
      });
      this.chips.append(chip);
    });
  }

  draw(theme: Theme) {
    for (const run of this.state.runs) run.look(this.state.view);
    const sizes = this.curves().map(({ curve }) => `${curve.t.length} ${curve.t[1]}`);
    const key = `${this.names} | ${this.against} | ${theme.dark} | ${this.holder.clientWidth} | ${sizes}`;
    this.theme = theme;
    const timed = this.against === 't';
    this.holder.hidden = !timed;
    this.phase.canvas.hidden = timed;
    if (key !== this.made_for) {
      this.made_for = key;
      this.make_chips();
      this.plot?.destroy();
      this.plot = null;
      if (timed) this.make_plot();
    }
    this.names.forEach((name, k) => {
      const curve = this.state.run.channel(name);
      this.values[k].textContent = curve ? `${short(curve.v[last_before(curve.t, this.state.t)])} ${this.state.run.unit(name)}` : '';
    });
    if (!timed) this.draw_phase();
    else if (this.plot) {
      const [a, b] = this.state.view;
      const scale = this.plot.scales.x;
      if (scale.min !== a || scale.max !== b) this.plot.setScale('x', { min: a, max: b });
      else this.plot.redraw(false, false);
    }
  }

  // Runs may have different times: each has its own pair of lines, joined for uPlot.
  private make_plot() {
    const { theme, state } = this;
    const all = this.curves();
    if (all.length === 0) return;
    const tables = all.map(({ curve }) => [Array.from(curve.t), Array.from(curve.v)] as [number[], number[]]);
    const same = tables.every((x) => x[0].length === tables[0][0].length && x[0].every((t, i) => t === tables[0][0][i]));
    const data = same ? [tables[0][0], ...tables.map((x) => x[1])] : uPlot.join(tables);
    const units = [...new Set(all.map(({ name }) => state.run.unit(name)))];
    const axis = (unit: string, side: number): uPlot.Axis => ({
      scale: unit, side, stroke: theme.muted, size: 52, label: `[${unit}]`, labelSize: 14, labelFont: '11px system-ui', font: '11px system-ui',
      grid: { show: side === 3, stroke: theme.line, width: 1 }, ticks: { show: false },
      values: (_, list) => tick_words(list),
    });
    this.plot = new uPlot({
      width: Math.max(120, this.holder.clientWidth), height: 170, legend: { show: false }, padding: [8, units.length > 1 ? 0 : 10, 0, 0],
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: false, auto: false } },
      axes: [{ stroke: theme.muted, font: '11px system-ui', grid: { show: false }, ticks: { stroke: theme.line, size: 4 }, size: 26 },
        ...units.slice(0, 2).map((u, i) => axis(u, i === 0 ? 3 : 1))],
      series: [{}, ...all.map(({ run, name }) => ({
        label: name, scale: units.indexOf(state.run.unit(name)) < 2 ? state.run.unit(name) : units[1],
        stroke: theme.curves[this.names.indexOf(name) % theme.curves.length], width: run.index === 0 ? 1.8 : 1.4,
        dash: DASH[run.index], points: { show: false }, spanGaps: true,
      }))],
      hooks: { draw: [(u) => this.draw_now(u)] },
    }, data as uPlot.AlignedData, this.holder);
    this.plot.over.addEventListener('pointerdown', (e) => state.seek(this.plot!.posToVal(e.offsetX, 'x')));
    this.plot.over.addEventListener('pointermove', (e) => {
      if (e.buttons & 1) state.seek(this.plot!.posToVal(e.offsetX, 'x'));
    });
    this.plot.over.addEventListener('wheel', (e) => {
      e.preventDefault();
      state.zoom_view(Math.exp(e.deltaY * 0.0016), this.plot!.posToVal(e.offsetX, 'x'));
    }, { passive: false });
    const [a, b] = state.view;
    this.plot.setScale('x', { min: a, max: b });
  }

  private draw_now(u: uPlot) {
    const x = Math.round(u.valToPos(this.state.t, 'x', true)) + 0.5;
    const { left, top, width, height } = u.bbox;
    if (x < left - 1 || x > left + width + 1) return;
    u.ctx.save();
    u.ctx.strokeStyle = this.theme.ink;
    u.ctx.lineWidth = devicePixelRatio || 1;
    u.ctx.setLineDash([]);
    u.ctx.beginPath();
    u.ctx.moveTo(x, top);
    u.ctx.lineTo(x, top + height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  private units(): string[] {
    return [...new Set(this.curves().map(({ name }) => this.state.run.unit(name)))];
  }

  // All curves over the times of all of them; where one has no value there is none.
  private csv(): string {
    const all = this.curves();
    const x = this.against === 't' ? [] : this.state.runs.map((run) => ({ run, name: this.against, curve: run.channel(this.against) }));
    const wanted = [...x, ...all].filter((c): c is { run: Run; name: string; curve: Curve } => c.curve !== null);
    const tables = wanted.map(({ curve }) => [Array.from(curve.t), Array.from(curve.v)] as [number[], number[]]);
    const joined = tables.length > 0 ? uPlot.join(tables) : [[]];
    const several = this.state.runs.length > 1;
    const names = wanted.map(({ run, name }) => `${name} [${run.unit(name)}]${several ? ` (${run.head.run})` : ''}`);
    return csv_of(['t [s]', ...names], joined as ArrayLike<number | null>[]);
  }

  // For paper: over time, a panel for each unit.
  private draw_timed() {
    const { phase, theme, state } = this;
    const all = this.curves(), units = this.units();
    phase.begin([24, 14, 36, 58]);
    const { left, top, width, height } = phase.box;
    units.forEach((unit, k) => {
      const mine = all.filter(({ name }) => state.run.unit(name) === unit);
      phase.box = { left, top: top + (k * height) / units.length, width, height: height / units.length - 44 };
      phase.x = state.view;
      phase.y = range_of(mine.flatMap(({ curve }) => Array.from(curve.v)));
      phase.axes(theme, 't [s]', [...new Set(mine.map(({ name }) => name))].map((n) => `${n} [${unit}]`).join(', '));
      phase.clip(() => {
        for (const { run, name, curve } of mine) {
          phase.c.strokeStyle = theme.curves[this.names.indexOf(name) % theme.curves.length];
          phase.c.lineWidth = run.index === 0 ? 1.8 : 1.4;
          phase.c.setLineDash(DASH[run.index]);
          phase.curve(curve.v.length, (i) => curve.t[i], (i) => curve.v[i]);
          phase.c.setLineDash([]);
        }
      });
    });
  }

  private draw_phase() {
    const { phase, theme, state } = this;
    const c = phase.c;
    const all = this.curves();
    const xs = state.runs.map((run) => run.channel(this.against));
    phase.begin([18, 10, 34, 52]);
    phase.x = range_of(xs.flatMap((x) => (x ? Array.from(x.v) : [])));
    phase.y = range_of(all.flatMap(({ curve }) => Array.from(curve.v)));
    phase.axes(theme, `${this.against} [${state.run.unit(this.against)}]`, this.names.map((n) => `${n} [${state.run.unit(n)}]`).join(', '));
    phase.clip(() => {
      for (const { run, name, curve } of all) {
        const x = xs[run.index];
        if (!x) continue;
        const stroke = theme.curves[this.names.indexOf(name) % theme.curves.length];
        const get = (i: number) => x.v[x.v.length === curve.v.length ? i : last_before(x.t, curve.t[i])];
        c.strokeStyle = stroke;
        c.lineWidth = run.index === 0 ? 1.8 : 1.4;
        c.setLineDash(DASH[run.index]);
        phase.curve(curve.v.length, get, (i) => curve.v[i]);
        c.setLineDash([]);
        const now = last_before(curve.t, state.t);
        c.fillStyle = stroke;
        c.beginPath();
        c.arc(phase.px(get(now)), phase.py(curve.v[now]), 4.5, 0, 7);
        c.fill();
      }
    });
  }
}
