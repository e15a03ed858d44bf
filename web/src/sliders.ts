// sliders.ts: the values of a live run's contacts, each with its slider, and the curve of the law beside them. What is turned is an
// input of the run: the program takes it at its next frame, or says why not. The scene's file is left alone; what would have to be
// written into it is shown, to be copied or kept.
import { Chart, range_of } from './chart';
import { LiveRun } from './live';
import { ask_json } from './server';
import { Theme } from './theme';
import { element, short, with_unit } from './words';

const PAUSE = 60; // [ms] between two values of one slider
const STEPS = 1000; // of a slider

export interface Value {
  name: string;
  path: string;
  of: 'law' | 'friction';
  unit?: string;
  value: number | null; // null: infinite
  default: number | null;
  doc: string;
  scale: 'linear' | 'log' | 'choice' | 'number';
  from?: number;
  to?: number;
  choices?: string;
}

interface Rule {
  name: string;
  body: string;
  against: string;
  law: string;
  friction: string;
  rigid: boolean;
  values: Value[];
}

interface Curve {
  rigid: boolean;
  mass: number;
  radius: number;
  speed: number;
  e?: number;
  time?: number;
  depth?: number[];
  force?: number[];
  slow?: number[];
  impulse?: number[];
  normal?: number[];
  slip?: number[];
}

function share_of(v: Value, x: number): number {
  const { from = 0, to = 1 } = v;
  return v.scale === 'log' ? Math.log(x / from) / Math.log(to / from) : (x - from) / (to - from);
}

function value_at(v: Value, share: number): number {
  const { from = 0, to = 1 } = v;
  const x = v.scale === 'log' ? from * Math.pow(to / from, share) : from + share * (to - from);
  return Number(x.toPrecision(share === 0 || share === 1 ? 12 : 4));
}

function spell(x: number | null): string {
  return x === null ? '.inf' : String(x);
}

// One value: its name and unit, a slider where it has a scale, a box to write into.
export class Dial {
  readonly row = element('div', 'dial');
  private slider = element('input');
  private box = element('input');
  private menu = element('select');
  private sent = 0;
  private timer = 0;

  constructor(public value: Value, readonly send: (text: string) => void) {
    const label = element('label', '', value.name);
    if (value.unit && value.unit !== '1') label.append(element('small', '', ` ${value.unit}`));
    label.title = `${value.doc}; default ${spell(value.default)}`;
    this.row.dataset.path = value.path;
    this.row.append(label);
    if (value.scale === 'choice') this.add_menu();
    else this.add_slider();
    label.addEventListener('dblclick', () => this.back());
    this.show(value);
  }

  private add_menu() {
    for (const word of (this.value.choices ?? '').split('|')) this.menu.append(new Option(word, word));
    this.menu.addEventListener('change', () => this.send(this.menu.value));
    this.row.append(this.menu);
  }

  private add_slider() {
    const { slider, box } = this;
    Object.assign(slider, { type: 'range', min: '0', max: String(STEPS), step: '1', title: this.value.doc });
    slider.setAttribute('aria-label', this.value.name);
    slider.addEventListener('input', () => this.turn());
    slider.hidden = this.value.scale === 'number';
    box.type = 'text';
    box.inputMode = 'decimal';
    box.addEventListener('change', () => this.send(box.value.trim()));
    this.row.append(slider, box);
  }

  // The last position always arrives; on the way not more than the program can use.
  private turn() {
    const x = value_at(this.value, Number(this.slider.value) / STEPS);
    this.box.value = spell(x);
    clearTimeout(this.timer);
    const due = Math.max(0, this.sent + PAUSE - performance.now());
    this.timer = window.setTimeout(() => {
      this.sent = performance.now();
      this.send(spell(x));
    }, due);
  }

  private back() {
    const { choices, default: otherwise } = this.value;
    this.send(choices ? choices.split('|')[otherwise ?? 0] : spell(otherwise));
  }

  // As the program has it; what the user is just turning or writing is left alone.
  show(value: Value, force = false) {
    this.value = { ...value, from: this.value.from, to: this.value.to, scale: this.value.scale };
    if (value.scale === 'choice') {
      this.menu.selectedIndex = value.value ?? 0;
      return;
    }
    const busy = document.activeElement;
    if (force || busy !== this.box) this.box.value = spell(value.value);
    if (!force && busy === this.slider && performance.now() - this.sent < 500) return;
    const share = value.value === null ? 1 : share_of(this.value, value.value);
    this.slider.value = String(Math.round(STEPS * Math.min(1, Math.max(0, share))));
  }
}

// Lines of two texts that differ: longest common subsequence, which is short work for a scene.
export function difference(before: string, after: string): { sign: ' ' | '-' | '+'; text: string }[] {
  const a = before.split('\n'), b = after.split('\n');
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const x = a.slice(head, a.length - tail), y = b.slice(head, b.length - tail);
  const common = Array.from({ length: x.length + 1 }, () => new Uint32Array(y.length + 1));
  for (let i = x.length - 1; i >= 0; i--) {
    for (let k = y.length - 1; k >= 0; k--) {
      common[i][k] = x[i] === y[k] ? common[i + 1][k + 1] + 1 : Math.max(common[i + 1][k], common[i][k + 1]);
    }
  }
  const lines: { sign: ' ' | '-' | '+'; text: string }[] = [];
  let i = 0, k = 0;
  while (i < x.length || k < y.length) {
    if (i < x.length && k < y.length && x[i] === y[k]) {
      lines.push({ sign: ' ', text: x[i++] });
      k++;
    } else if (i < x.length && (k === y.length || common[i + 1][k] >= common[i][k + 1])) lines.push({ sign: '-', text: x[i++] });
    else lines.push({ sign: '+', text: y[k++] });
  }
  const near = (from: number, to: number) => a.slice(Math.max(0, from), to).map((text) => ({ sign: ' ' as const, text }));
  return [...near(head - 2, head), ...lines, ...near(a.length - tail, a.length - tail + 2)];
}

// What the scene's file would say; nothing is overwritten.
class WriteBack {
  readonly panel = element('dialog', 'help back');

  async open() {
    const { file, before, after, whole } = await ask_json('/scene');
    const lines = element('pre', 'diff');
    for (const { sign, text } of difference(before, after)) {
      lines.append(element('span', sign === '+' ? 'in' : sign === '-' ? 'out' : '', `${sign} ${text}\n`));
    }
    if (before === after) lines.textContent = 'Nothing was changed.';
    const note = whole ? 'The file could not be changed in place: this is the scene with every value in force.' : `${file}, changed in place. The file itself is not modified.`;
    const row = element('div', 'buttons');
    const add = (text: string, run: () => void) => {
      const b = element('button', '', text);
      b.addEventListener('click', run);
      row.append(b);
    };
    add('Copy', () => void navigator.clipboard.writeText(after));
    add('Download', () => this.keep(file, after));
    add('Close', () => this.panel.close());
    this.panel.replaceChildren(element('h2', '', 'Write back'), element('p', 'note', note), lines, row);
    this.panel.dataset.after = after;
    this.panel.showModal();
  }

  private keep(file: string, text: string) {
    const link = element('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/yaml' }));
    link.download = file.split('/').pop() ?? 'scene.yaml';
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

export class Sliders {
  readonly panel = element('section', 'card sliders');
  private head = element('header', '', 'Law');
  private button = element('button', 'small', 'Write back…');
  private chart = new Chart('chart');
  private choice = element('select');
  private rows = element('div', 'dials');
  private message = element('p', 'refused');
  private caption = element('p', 'note');
  private back = new WriteBack();
  private dials = new Map<string, Dial>();
  private rules: Rule[] = [];
  private curve: Curve | null = null;
  private shown = ''; // laws whose values stand there
  private asking = false;
  private again = false;

  constructor(readonly run: LiveRun, readonly redraw: () => void) {
    const { head, button } = this;
    button.title = 'the file of the scene with these values';
    button.addEventListener('click', () => void this.back.open());
    head.append(this.choice, button);
    this.panel.append(head, this.chart.canvas, this.caption, this.message, this.rows, this.back.panel);
    this.panel.hidden = true;
    this.choice.addEventListener('change', () => {
      this.fill();
      void this.refresh();
    });
    run.on_change = () => void this.refresh();
    void this.refresh();
  }

  // A sandbox chooses the law, and has no file.
  lead(...chooser: HTMLElement[]) {
    this.button.remove();
    this.head.after(...chooser);
  }

  private get index(): number {
    return Math.max(0, this.choice.selectedIndex);
  }

  // Asks for the values and the curve as they are now; not twice at once.
  private async refresh() {
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    do {
      this.again = false;
      await this.look();
    } while (this.again);
    this.asking = false;
  }

  private async look() {
    try {
      const first = this.rules.length === 0;
      this.rules = (await ask_json(this.run.path('values'))).contacts;
      this.panel.hidden = this.rules.length === 0;
      if (this.rules.length === 0) return;
      if (first) {
        for (const r of this.rules) this.choice.append(new Option(`${r.name}: ${r.law}`));
        this.choice.hidden = this.rules.length === 1;
      }
      this.widen_cones();
      const rule = this.rules[this.index];
      if (this.shown !== `${rule.law} ${rule.friction}`) this.fill(); // another law
      const { refused } = this.run;
      this.message.textContent = refused ?? '';
      for (const v of rule.values) this.dials.get(v.path)?.show(v, refused !== null);
      this.curve = await ask_json(this.run.path('law', this.index));
    } catch {
      return; // the run says itself when the program has gone
    }
    this.redraw();
  }

  // The picture's friction cones are those of now.
  private widen_cones() {
    this.rules.forEach((rule, i) => {
      const contact = this.run.head.contacts[i];
      const get = (name: string) => rule.values.find((v) => v.of === 'friction' && v.name === name)?.value;
      const mu = get('mu');
      contact.mu_s = get('mu_s') ?? mu ?? contact.mu_s;
      contact.mu_k = get('mu_k') ?? mu ?? contact.mu_k;
      contact.law = rule.law;
      contact.rigid = rule.rigid;
    });
  }

  private fill() {
    const rule = this.rules[this.index];
    this.shown = `${rule.law} ${rule.friction}`;
    this.dials.clear();
    this.rows.replaceChildren();
    for (const of of ['law', 'friction'] as const) {
      const values = rule.values.filter((v) => v.of === of);
      if (values.length === 0) continue;
      this.rows.append(element('h3', '', of === 'law' ? rule.law : `friction: ${rule.friction}`));
      for (const v of values) {
        const dial = new Dial(v, (text) => this.run.say(`set ${v.path} ${text}`));
        this.dials.set(v.path, dial);
        this.rows.append(dial.row);
      }
    }
  }

  private lines(theme: Theme, x: number[], ys: { y: number[]; colour: string; dash: number[] }[]) {
    const { chart } = this;
    chart.clip(() => {
      for (const { y, colour, dash } of ys) {
        chart.c.strokeStyle = colour;
        chart.c.lineWidth = 1.6;
        chart.c.setLineDash(dash);
        chart.curve(x.length, (i) => x[i], (i) => y[i]);
      }
      chart.c.setLineDash([]);
      chart.c.strokeStyle = theme.muted;
      chart.c.lineWidth = 1;
      chart.line(chart.px(chart.x[0]), chart.py(0), chart.px(chart.x[1]), chart.py(0));
    });
  }

  draw(theme: Theme) {
    const { chart, curve } = this;
    if (this.panel.hidden || !curve) return;
    const rule = this.rules[this.index];
    chart.begin([20, 14, 34, 52]);
    const e = curve.e === undefined ? '' : `, e = ${short(curve.e)}`;
    if (curve.depth && curve.force && curve.slow) {
      const mm = curve.depth.map((d) => d * 1e3);
      chart.x = range_of([0, ...mm], 0.02);
      chart.y = range_of([0, ...curve.force, ...curve.slow]);
      chart.axes(theme, 'depth [mm]', 'N');
      this.lines(theme, mm, [{ y: curve.slow, colour: theme.muted, dash: [4, 3] }, { y: curve.force, colour: theme.accent, dash: [] }]);
      this.caption.textContent = `${rule.law}: ${with_unit(curve.mass, 'kg')} at ${short(curve.speed)} m/s${e}; dashed: slow compression`;
    } else if (curve.impulse && curve.normal && curve.slip) {
      chart.x = range_of([0, ...curve.impulse], 0.02);
      chart.y = range_of([0, ...curve.normal, ...curve.slip]);
      chart.axes(theme, 'normal impulse [N s]', 'm/s');
      this.lines(theme, curve.impulse, [{ y: curve.slip, colour: theme.slip, dash: [4, 3] }, { y: curve.normal, colour: theme.impulse, dash: [] }]);
      this.caption.textContent = `${rule.law}: an impact at 45°, ${short(curve.speed)} m/s each way${e}; dashed: slip`;
    } else this.caption.textContent = `${rule.law}: no curve for these values`;
  }
}
