// state.ts: what the page shows at the moment, and who wants to know when that changes.
import { Happening } from './data';
import { Run, is_impulsive } from './run';

export interface Flags {
  points: boolean;
  forces: boolean;
  impulses: boolean;
  cones: boolean;
  glass: boolean; // bodies are transparent
  ghosts: boolean;
  follow: boolean;
  grid: boolean;
  visuals: boolean; // in the place of shapes
  devices: boolean; // sensors and tendons
}

export const SPEEDS = [1 / 256, 1 / 128, 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8];

export class State {
  t = 0;
  playing = false;
  speed = SPEEDS.indexOf(1);
  body = -1; // selected; -1: none
  event = -1; // selected event of the first run; -1: none
  impulse: number | null = null; // 0..1 along the selected impact; null: time runs as usual
  view: [number, number] = [0, 1]; // [s] the stretch that timeline and plots show
  flags: Flags = { points: true, forces: true, impulses: true, cones: false, glass: false, ghosts: true, follow: false, grid: true, visuals: true, devices: true };
  say: (text: string) => void = () => {}; // to the program, where the run is live
  private listeners: (() => void)[] = [];
  private asked = false;

  constructor(readonly runs: Run[]) {
    this.view = [0, this.end];
  }

  get run(): Run {
    return this.runs[0];
  }

  get end(): number {
    return Math.max(1e-9, ...this.runs.map((r) => r.end));
  }

  get live(): boolean {
    return this.run.head.live ?? false;
  }

  get selected(): Happening | null {
    return this.run.head.events[this.event] ?? null;
  }

  on_change(listener: () => void) {
    this.listeners.push(listener);
  }

  changed() { // all are told once, before the next picture
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      for (const listener of this.listeners) listener();
    });
  }

  seek(t: number) {
    this.t = Math.min(this.end, Math.max(0, t));
    this.impulse = null;
    const [a, b] = this.view;
    if (this.t < a || this.t > b) { // the window moves along
      const width = b - a;
      const from = Math.min(Math.max(0, this.t - 0.2 * width), this.end - width);
      this.view = [from, from + width];
    }
    this.changed();
  }

  step(frames: number) {
    this.playing = false;
    const z = this.run.zoom_at(this.t);
    const step = z ? (z.t[z.count - 1] - z.t[0]) / (z.count - 1) : this.run.step;
    this.seek((Math.round(this.t / step) + frames) * step);
  }

  select_event(index: number, go = true) {
    this.event = index;
    this.impulse = null;
    const e = this.selected;
    if (e) this.run.look_into(e);
    if (e && go) {
      this.playing = false;
      this.seek(e.t);
    }
    this.changed();
  }

  // The next event in a direction that is an impact, or of any kind where there are no impacts.
  jump(direction: 1 | -1) {
    const events = this.run.head.events;
    const some = events.some(is_impulsive);
    const fits = (e: Happening) => (some ? is_impulsive(e) : e.kind === 'touch');
    const eps = 1e-12;
    let found = -1;
    for (let i = 0; i < events.length; i++) {
      if (!fits(events[i])) continue;
      if (direction > 0 && events[i].t > this.t + eps) {
        found = i;
        break;
      }
      if (direction < 0 && events[i].t < this.t - eps && (found < 0 || events[i].t > events[found].t)) found = i;
    }
    if (found >= 0) this.select_event(found);
  }

  faster(by: number) {
    this.speed = Math.min(SPEEDS.length - 1, Math.max(0, this.speed + by));
    this.say(`speed ${SPEEDS[this.speed]}`);
    this.changed();
  }

  toggle(flag: keyof Flags) {
    this.flags[flag] = !this.flags[flag];
    this.changed();
  }

  toggle_arrows(on = !(this.flags.forces || this.flags.impulses)) {
    this.flags.forces = this.flags.impulses = on;
    this.changed();
  }

  play(on = !this.playing) {
    this.playing = on;
    this.impulse = null;
    if (this.live) this.say(on ? 'run' : 'pause');
    else if (on && this.t >= this.end) this.seek(0);
    this.changed();
  }

  zoom_view(factor: number, about: number) {
    const [a, b] = this.view;
    const width = Math.min(this.end, Math.max(1e-7, (b - a) * factor));
    const share = (about - a) / (b - a || 1);
    const from = Math.min(Math.max(0, about - share * width), this.end - width);
    this.view = [from, from + width];
    this.changed();
  }
}
