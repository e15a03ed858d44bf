// squeeze.ts: one compliant contact from touchdown to parting: the force against the depth (the loop is what was lost), and
// against the impulse it has given so far, which makes contacts of a microsecond and of a second look alike.
import { Chart, range_of } from './chart';
import { Frames, Happening, POINT } from './data';
import { csv_of } from './out';
import { State } from './state';
import { Theme } from './theme';

interface Squeeze {
  t: number[];
  depth: number[];
  normal: number[];
  friction: number[];
  impulse: number[];
}

function follow(z: Frames, slot: number): Squeeze {
  const s: Squeeze = { t: [], depth: [], normal: [], friction: [], impulse: [] };
  let sum = 0;
  for (let i = 0; i < z.count; i++) {
    for (let k = z.start[i]; k < z.start[i + 1]; k++) {
      const o = k * POINT, p = z.point;
      if (p[o + 11] !== slot) continue;
      const fn = p[o + 6] * p[o + 3] + p[o + 7] * p[o + 4] + p[o + 8] * p[o + 5];
      const all = p[o + 6] ** 2 + p[o + 7] ** 2 + p[o + 8] ** 2;
      const last = s.t.length - 1;
      if (last >= 0) sum += 0.5 * (fn + s.normal[last]) * (z.t[i] - s.t[last]);
      s.t.push(z.t[i]);
      s.depth.push(p[o + 12]);
      s.normal.push(fn);
      s.friction.push(Math.sqrt(Math.max(0, all - fn * fn)));
      s.impulse.push(sum);
    }
  }
  return s;
}

export class SqueezeCharts {
  readonly loop = new Chart('chart tall');
  readonly course = new Chart('chart');
  private seen: Squeeze | null = null;
  private seen_of: Happening | null = null;

  constructor(readonly state: State) {
    const slide = (e: PointerEvent) => {
      const s = this.seen;
      if (!s || s.t.length < 2) return;
      const p = this.course.at_px(e.offsetX);
      const k = s.impulse.findIndex((x) => x >= p);
      state.playing = false;
      state.seek(s.t[k < 0 ? s.t.length - 1 : k]);
    };
    this.course.canvas.addEventListener('pointerdown', slide);
    this.course.canvas.addEventListener('pointermove', (e) => {
      if (e.buttons & 1) slide(e);
    });
  }

  // What there is of this event, as numbers; null: nothing.
  csv(e: Happening): string | null {
    const s = this.seen_of === e ? this.seen : null;
    return s ? csv_of(['t [s]', 'depth [m]', 'normal [N]', 'friction [N]', 'impulse so far [N s]'], [s.t, s.depth, s.normal, s.friction, s.impulse]) : null;
  }

  // False: there is nothing to show of this event.
  draw(e: Happening, theme: Theme): boolean {
    const z = this.state.run.zooms.find((x) => e.t >= x.t[0] && e.t <= x.t[x.count - 1]);
    if (!z || e.slot === undefined) return false;
    if (this.seen_of !== e) {
      this.seen = follow(z, e.slot);
      this.seen_of = e;
    }
    const s = this.seen!;
    if (s.t.length < 3) return false;
    let now = -1;
    for (let i = 0; i < s.t.length; i++) if (s.t[i] <= this.state.t) now = i;
    this.draw_curve(this.loop, s.depth, [s.normal], now, theme, 'depth [m]', 'normal force [N]');
    this.draw_curve(this.course, s.impulse, [s.normal, s.friction], now, theme, 'impulse so far [N s]', 'force [N]: normal, friction (dashed)');
    return true;
  }

  private draw_curve(chart: Chart, x: number[], ys: number[][], now: number, theme: Theme, x_name: string, y_name: string) {
    const c = chart.c;
    chart.begin([20, 12, 34, 52]);
    chart.x = range_of(x, 0.04);
    chart.y = range_of([0, ...ys.flat()], 0.08);
    chart.axes(theme, x_name, y_name);
    chart.clip(() => {
      if (ys.length === 1) {
        c.beginPath();
        x.forEach((v, i) => c.lineTo(chart.px(v), chart.py(ys[0][i])));
        c.fillStyle = theme.slip;
        c.globalAlpha = 0.13;
        c.fill();
        c.globalAlpha = 1;
      }
      ys.forEach((y, k) => {
        c.strokeStyle = k === 0 ? theme.force : theme.slip;
        c.setLineDash(k === 0 ? [] : [6, 4]);
        c.lineWidth = 2;
        chart.curve(x.length, (i) => x[i], (i) => y[i]);
      });
      c.setLineDash([]);
    });
    if (now >= 0 && this.state.t <= this.seen!.t[this.seen!.t.length - 1]) {
      c.beginPath();
      c.arc(chart.px(x[now]), chart.py(ys[0][now]), 5, 0, 7);
      c.fillStyle = theme.accent;
      c.strokeStyle = theme.panel;
      c.fill();
      c.stroke();
    }
  }
}
