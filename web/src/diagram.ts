// diagram.ts: one impact with the normal impulse as the axis. Above: Routh's diagram, the plane of impulses with the path, the
// line of sticking S = 0, of greatest compression C = 0 and of limiting friction F. Below: the velocities along the same axis.
import { Chart, range_of } from './chart';
import { Impact, Struck } from './data';
import { State } from './state';
import { Theme } from './theme';

const PLANAR = 1e-9; // part of the rest that may leave the plane

interface Plane { // an impact seen along one tangential direction
  t: [number, number];
  planar: boolean; // everything tangential keeps to it
  Ktt: number;
  Knn: number;
  Ktn: number;
  S0: number;
  C0: number;
}

// The direction that everything tangential has: that of the slip, else of the coupling, else of the impulse.
function plane_of(x: Impact): Plane {
  const c = x.contacts[0];
  const W = x.W ?? [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const speed = Math.hypot(...c.u), inertia = W[0][0] + W[1][1] + W[2][2];
  let angle = Math.atan2(c.p[1], c.p[0]);
  if (Math.hypot(c.u[0], c.u[1]) > PLANAR * speed) angle = Math.atan2(c.u[1], c.u[0]);
  else if (Math.hypot(W[2][0], W[2][1]) > PLANAR * inertia) angle = Math.atan2(W[2][1], W[2][0]);
  let t: [number, number] = [Math.cos(angle), Math.sin(angle)];
  const world = [0, 1, 2].map((k) => t[0] * c.t1[k] + t[1] * c.t2[k]);
  const largest = world.reduce((a, b) => (Math.abs(b) > Math.abs(a) + PLANAR ? b : a), 0);
  if (largest < 0) t = [-t[0], -t[1]];
  const across = [-t[1], t[0]];
  const Wt = [W[0][0] * t[0] + W[0][1] * t[1], W[1][0] * t[0] + W[1][1] * t[1]];
  const dot = (a: number[], b: number[]) => a[0] * b[0] + a[1] * b[1];
  return {
    t, planar: Math.abs(dot(across, c.u)) <= PLANAR * speed && Math.abs(dot(across, W[2])) <= PLANAR * inertia &&
      Math.abs(dot(across, Wt)) <= PLANAR * inertia,
    Ktt: dot(t, Wt), Knn: W[2][2], Ktn: dot(t, W[2]), S0: dot(t, c.u), C0: c.u[2],
  };
}

export class Diagram {
  readonly plane = new Chart('chart tall');
  readonly course = new Chart('chart');

  constructor(readonly state: State) {
    this.course.canvas.addEventListener('pointerdown', (e) => this.slide(e.offsetX));
    this.course.canvas.addEventListener('pointermove', (e) => {
      if (e.buttons & 1) this.slide(e.offsetX);
    });
  }

  private slide(px: number) {
    const most = this.course.x[1];
    this.state.playing = false;
    this.state.impulse = Math.min(1, Math.max(0, this.course.at_px(px) / (most || 1)));
    this.state.changed();
  }

  draw(x: Impact, slot: number, theme: Theme) {
    if (x.path && x.path.length > 1) {
      const plane = plane_of(x);
      this.draw_plane(x, plane, theme);
      this.draw_course(x, plane, theme);
    } else {
      this.draw_many(x, slot, theme);
    }
    this.course.canvas.hidden = !x.path;
  }

  private draw_plane(x: Impact, k: Plane, theme: Theme) {
    const { plane } = this;
    const c = plane.c;
    const s = x.contacts[0];
    const path = x.path!;
    const along = (row: number[]) => row[0] * k.t[0] + row[1] * k.t[1];
    const top = 1.16 * Math.max(path[path.length - 1][2], 1e-300);
    const sticking = (pn: number) => -(k.S0 + k.Ktn * pn) / k.Ktt;
    const compression = (pt: number) => -(k.C0 + k.Ktn * pt) / k.Knn;
    const want = [0, ...path.map(along), ...[s.mu_k * top, -s.mu_k * top, sticking(0), sticking(top)].map((v) => Math.min(0.8 * top, Math.max(-0.8 * top, v)))];
    plane.begin([20, 12, 34, 52]);
    let [left, right] = range_of(want, 0.08);
    const wide = (top * plane.box.width) / plane.box.height; // one scale for both axes
    if (right - left < wide) [left, right] = [left - (wide - right + left) / 2, right + (wide - right + left) / 2];
    plane.x = [left, right];
    plane.y = [0, top];
    plane.axes(theme, 'tangential impulse [N s]', 'normal impulse [N s]');
    plane.clip(() => {
      const stroke = (color: string, dash: number[], a: [number, number], b: [number, number]) => {
        c.strokeStyle = color;
        c.lineWidth = 1.6;
        c.setLineDash(dash);
        plane.line(plane.px(a[0]), plane.py(a[1]), plane.px(b[0]), plane.py(b[1]));
        c.setLineDash([]);
      };
      c.fillStyle = theme.accent;
      c.globalAlpha = 0.07;
      c.beginPath();
      c.moveTo(plane.px(0), plane.py(0));
      c.lineTo(plane.px(-s.mu_k * top), plane.py(top));
      c.lineTo(plane.px(s.mu_k * top), plane.py(top));
      c.fill();
      c.globalAlpha = 1;
      for (const side of [-1, 1]) stroke(theme.accent, [9, 3, 2, 3], [0, 0], [side * s.mu_k * top, top]);
      if (k.planar && k.Ktt > 0) stroke(theme.stick, [9, 4], [sticking(0), 0], [sticking(top), top]);
      if (k.planar) stroke(theme.slip, [2, 3], [left, compression(left)], [right, compression(right)]);
      c.strokeStyle = theme.ink;
      c.lineWidth = 2.6;
      plane.curve(path.length, (i) => along(path[i]), (i) => path[i][2]);
    });
    const label = (text: string, color: string, pt: number, pn: number) => {
      if (pt < left || pt > right || pn < 0 || pn > top) return;
      c.fillStyle = color;
      c.textAlign = plane.px(pt) > plane.box.left + 0.75 * plane.box.width ? 'right' : 'left';
      c.textBaseline = 'bottom';
      c.fillText(text, plane.px(pt) + (c.textAlign === 'left' ? 5 : -5), plane.py(pn) - 2);
    };
    label('F', theme.accent, s.mu_k * 0.86 * top, 0.86 * top);
    if (k.planar) {
      label('S = 0', theme.stick, sticking(0.93 * top), 0.93 * top);
      const at = left + 0.04 * (right - left);
      label('C = 0', theme.slip, at, compression(at));
    }
    for (const turn of x.turns ?? []) {
      if (turn.kind !== 'compressed' && turn.kind !== 'stop') continue;
      const row = path[Math.round((turn.pn / (path[path.length - 1][2] || 1)) * (path.length - 1))];
      if (row) this.dot(plane, along(row), turn.pn, 3.2, theme.panel, theme.ink);
    }
    const end = path[path.length - 1];
    this.dot(plane, along(end), end[2], 4.5, theme.impulse, theme.ink);
    if (this.state.impulse !== null) {
      const now = path[Math.round(this.state.impulse * (path.length - 1))];
      this.dot(plane, along(now), now[2], 6, theme.accent, theme.panel);
    }
  }

  private dot(chart: Chart, x: number, y: number, r: number, fill: string, stroke: string) {
    const c = chart.c;
    c.beginPath();
    c.arc(chart.px(x), chart.py(y), r, 0, 7);
    c.fillStyle = fill;
    c.strokeStyle = stroke;
    c.lineWidth = 1.5;
    c.fill();
    c.stroke();
  }

  // Velocities against the normal impulse: C rises from approach to departure, S goes to zero where it sticks.
  private draw_course(x: Impact, k: Plane, theme: Theme) {
    const { course } = this;
    const c = course.c;
    const path = x.path!;
    const S = (i: number) => path[i][3] * k.t[0] + path[i][4] * k.t[1];
    const C = (i: number) => path[i][5];
    const pn = (i: number) => path[i][2];
    const all = path.flatMap((_, i) => [S(i), C(i), 0]);
    course.begin([20, 12, 34, 52]);
    course.x = [0, Math.max(pn(path.length - 1), 1e-300)];
    course.y = range_of(all, 0.1);
    course.axes(theme, 'normal impulse [N s]', 'velocity [m/s]:  C  normal,  S  along the slip');
    course.clip(() => {
      c.strokeStyle = theme.muted;
      c.lineWidth = 1;
      course.line(course.box.left, course.py(0), course.box.left + course.box.width, course.py(0));
      if (x.Pc !== undefined) {
        c.setLineDash([2, 3]);
        course.line(course.px(x.Pc), course.box.top, course.px(x.Pc), course.box.top + course.box.height);
        c.setLineDash([]);
      }
      c.lineWidth = 2;
      c.strokeStyle = theme.slip;
      course.curve(path.length, pn, C);
      c.setLineDash([7, 4]);
      c.strokeStyle = theme.stick;
      course.curve(path.length, pn, S);
      c.setLineDash([]);
    });
    c.textAlign = 'left';
    c.textBaseline = 'bottom';
    const mid = Math.floor(path.length * 0.06);
    c.fillStyle = theme.slip;
    c.fillText('C', course.px(pn(mid)), course.py(C(mid)) - 4);
    c.fillStyle = theme.stick;
    c.fillText('S', course.px(pn(mid)), course.py(S(mid)) - 4);
    if (this.state.impulse !== null) course.cursor(theme, this.state.impulse * pn(path.length - 1));
  }

  // Several contacts at once have no path; each one's impulse stands in its own friction cone.
  private draw_many(x: Impact, slot: number, theme: Theme) {
    const { plane } = this;
    const c = plane.c;
    const size = (s: Struck) => Math.hypot(s.p[0], s.p[1]);
    const top = 1.2 * Math.max(1e-300, ...x.contacts.map((s) => s.p[2]));
    const mu = Math.max(0, ...x.contacts.map((s) => s.mu_k));
    plane.begin([20, 12, 34, 52]);
    plane.x = [0, 1.15 * Math.max(mu * top, ...x.contacts.map(size), 0.2 * top)];
    plane.y = [0, top];
    plane.axes(theme, 'impulse of friction [N s]', 'normal impulse [N s], each contact');
    plane.clip(() => {
      c.strokeStyle = theme.accent;
      c.setLineDash([9, 3, 2, 3]);
      c.lineWidth = 1.6;
      for (const m of new Set(x.contacts.map((s) => s.mu_k))) plane.line(plane.px(0), plane.py(0), plane.px(m * top), plane.py(top));
      c.setLineDash([]);
    });
    for (const s of x.contacts) {
      const mine = s.slot === slot;
      c.strokeStyle = mine ? theme.impulse : theme.muted;
      c.lineWidth = mine ? 2.4 : 1.2;
      plane.line(plane.px(0), plane.py(0), plane.px(size(s)), plane.py(s.p[2]));
      this.dot(plane, size(s), s.p[2], mine ? 5.5 : 3.5, mine ? theme.impulse : theme.panel, theme.ink);
    }
    c.fillStyle = theme.accent;
    c.textAlign = 'left';
    c.textBaseline = 'bottom';
    if (mu > 0) c.fillText('F', plane.px(mu * 0.9 * top) + 6, plane.py(0.9 * top));
  }
}
