// timeline.ts: time from left to right with a mark for every event; drag to scrub, wheel to zoom, click a mark to select it.
// Kinds differ by shape: impact = filled triangle, touch = tick down, part = tick up, stick = square, slip = diamond, verdict = hexagon.
import { Chart, tick_words, ticks } from './chart';
import { Happening } from './data';
import { is_impulsive, is_verdict } from './run';
import { State } from './state';
import { Theme } from './theme';

const TOP = 20, HIGH = 18;

export function draw_glyph(c: CanvasRenderingContext2D, e: Happening, x: number, y: number, theme: Theme, large: boolean) {
  const r = large ? 6 : 4.2;
  const corners = (n: number, turn: number) => {
    c.beginPath();
    for (let k = 0; k < n; k++) {
      const a = turn + (2 * Math.PI * k) / n;
      c.lineTo(x + r * Math.cos(a), y + r * Math.sin(a));
    }
    c.closePath();
  };
  c.lineWidth = 1.4;
  if (is_verdict(e)) {
    corners(6, 0);
    c.fillStyle = theme.impulse;
    c.strokeStyle = theme.ink;
    c.fill();
    c.stroke();
  } else if (is_impulsive(e)) {
    corners(3, Math.PI / 2);
    c.fillStyle = theme.impulse;
    c.fill();
  } else if (e.kind === 'slip') {
    corners(4, 0);
    c.fillStyle = theme.slip;
    c.fill();
  } else if (e.kind === 'stick') {
    corners(4, Math.PI / 4);
    c.fillStyle = theme.stick;
    c.fill();
  } else {
    c.strokeStyle = e.kind === 'touch' ? theme.ink : theme.muted;
    c.beginPath();
    const up = e.kind === 'part' || e.kind === 'leave';
    c.moveTo(x, y - r);
    c.lineTo(x, y + r);
    c.moveTo(x - 3, up ? y - r + 3 : y + r - 3);
    c.lineTo(x, up ? y - r : y + r);
    c.lineTo(x + 3, up ? y - r + 3 : y + r - 3);
    c.stroke();
  }
}

// Rows of the timeline: impacts and verdicts first, so that small changes do not cover them.
function row_of(e: Happening): number {
  return is_verdict(e) || is_impulsive(e) ? 0 : e.kind === 'stick' || e.kind === 'slip' ? 2 : 1;
}

export class Timeline {
  readonly chart = new Chart('timeline');
  private scrubbing = false;

  constructor(readonly state: State) {
    const canvas = this.chart.canvas;
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'slider');
    canvas.setAttribute('aria-label', 'time');
    canvas.style.touchAction = 'none';
    canvas.addEventListener('pointerdown', (e) => {
      canvas.setPointerCapture(e.pointerId);
      this.scrubbing = true;
      const hit = this.event_near(e.offsetX, e.offsetY);
      if (hit >= 0) state.select_event(hit);
      else this.scrub(e.offsetX);
    });
    canvas.addEventListener('pointermove', (e) => {
      if (this.scrubbing && (e.movementX !== 0 || e.movementY !== 0)) this.scrub(e.offsetX);
      canvas.style.cursor = this.event_near(e.offsetX, e.offsetY) >= 0 ? 'pointer' : 'ew-resize';
    });
    canvas.addEventListener('pointerup', () => (this.scrubbing = false));
    canvas.addEventListener('dblclick', (e) => {
      const hit = this.event_near(e.offsetX, e.offsetY);
      if (hit >= 0) this.zoom_into(hit);
      else {
        state.view = [0, state.end];
        state.changed();
      }
    });
    canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      state.zoom_view(Math.exp(e.deltaY * 0.0016), this.chart.at_px(e.offsetX));
    }, { passive: false });
  }

  private scrub(px: number) {
    this.state.playing = false;
    const [a, b] = this.state.view;
    this.state.seek(Math.min(b, Math.max(a, this.chart.at_px(px))));
  }

  // The stretch around an event: as long as its zoom, else some frames.
  zoom_into(index: number) {
    const { state } = this;
    state.select_event(index);
    const e = state.selected!;
    const z = state.run.zoom_at(e.t);
    const half = z ? (z.t[z.count - 1] - z.t[0]) / 2 : 6 * state.run.step;
    const middle = z ? (z.t[0] + z.t[z.count - 1]) / 2 : e.t;
    const from = Math.max(0, Math.min(middle - half, state.end - 2 * half));
    state.view = [from, Math.min(state.end, from + 2 * half)];
    state.changed();
  }

  private event_near(x: number, y: number): number {
    const events = this.state.run.head.events;
    let best = -1, least = 9 * 9;
    for (let i = 0; i < events.length; i++) {
      const dx = this.chart.px(events[i].t) - x;
      const dy = TOP + HIGH * (row_of(events[i]) + 0.5) - y;
      const far = dx * dx + dy * dy;
      if (far < least) {
        least = far;
        best = i;
      }
    }
    return best;
  }

  draw(theme: Theme) {
    const { chart, state } = this;
    const c = chart.c;
    chart.x = state.view;
    chart.begin([TOP, 16, 4, 16]);
    const { box } = chart;
    const bottom = TOP + 3 * HIGH;
    c.fillStyle = theme.muted;
    c.strokeStyle = theme.line;
    c.lineWidth = 1;
    c.textAlign = 'center';
    c.textBaseline = 'top';
    const list = ticks(state.view[0], state.view[1], box.width / 90);
    tick_words(list).forEach((word, i) => {
      const x = Math.round(chart.px(list[i])) + 0.5;
      chart.line(x, TOP - 3, x, bottom);
      const text = i === list.length - 1 ? `${word} s` : word;
      const half = c.measureText(text).width / 2 + 2;
      c.fillText(text, Math.min(Math.max(x, half), chart.width - half), 3);
    });
    chart.line(box.left, bottom + 0.5, box.left + box.width, bottom + 0.5);
    this.draw_zooms(theme, bottom);
    this.draw_events(theme);
    const at = chart.px(state.t);
    c.strokeStyle = theme.accent;
    c.fillStyle = theme.accent;
    c.lineWidth = 2;
    chart.line(at, TOP - 4, at, bottom + 2);
    c.beginPath();
    c.moveTo(at - 6, TOP - 10);
    c.lineTo(at + 6, TOP - 10);
    c.lineTo(at, TOP - 2);
    c.fill();
    chart.canvas.setAttribute('aria-valuenow', String(state.t));
    chart.canvas.setAttribute('aria-valuemax', String(state.end));
  }

  private draw_zooms(theme: Theme, bottom: number) { // where there is more between the frames
    const { chart } = this;
    chart.c.fillStyle = theme.accent;
    for (const z of this.state.run.zooms) {
      const a = chart.px(z.t[0]), b = chart.px(z.t[z.count - 1]);
      if (b > chart.box.left && a < chart.box.left + chart.box.width) chart.c.fillRect(a, bottom - 1, Math.max(1, b - a), 3);
    }
  }

  private draw_events(theme: Theme) {
    const { chart, state } = this;
    const seen = new Set<string>(); // one mark a pixel and row is enough
    const events = state.run.head.events;
    const one = (i: number, large: boolean) => {
      const x = chart.px(events[i].t);
      if (x < chart.box.left - 8 || x > chart.box.left + chart.box.width + 8) return;
      const row = row_of(events[i]);
      const key = `${row} ${Math.round(x)} ${row === 1 ? '' : events[i].kind}`;
      if (!large && seen.has(key)) return;
      seen.add(key);
      draw_glyph(chart.c, events[i], x, TOP + HIGH * (row + 0.5), theme, large);
    };
    for (let i = 0; i < events.length; i++) one(i, false);
    if (state.event >= 0) {
      one(state.event, true);
      const x = chart.px(events[state.event].t);
      chart.c.strokeStyle = theme.ink;
      chart.c.lineWidth = 1.5;
      chart.c.beginPath();
      chart.c.arc(x, TOP + HIGH * (row_of(events[state.event]) + 0.5), 9, 0, 7);
      chart.c.stroke();
    }
  }
}
