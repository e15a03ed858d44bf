// chart.ts: a canvas with axes: what the timeline, the energy account, the phase plane and Routh's diagram share.
import { Pen } from './pen';
import { Theme } from './theme';
import { short } from './words';

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

// Round numbers across a range, about `n` of them.
export function ticks(lo: number, hi: number, n: number): number[] {
  const width = hi - lo;
  if (!(width > 0) || !Number.isFinite(width)) return [];
  const raw = width / Math.max(1, n);
  const ten = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((k) => k * ten).find((s) => s >= raw) ?? 10 * ten;
  const list: number[] = [];
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * width; k++) list.push(k * step === 0 ? 0 : k * step);
  return list;
}

export function tick_words(list: number[]): string[] {
  const step = list.length > 1 ? list[1] - list[0] : 1;
  let places = 0; // as many as the step has
  while (places < 9 && Math.abs(step * 10 ** places - Math.round(step * 10 ** places)) > 1e-6 * Math.abs(step) * 10 ** places) places++;
  const far = Math.max(...list.map(Math.abs));
  return list.map((x) => (far >= 1e5 || (far < 1e-3 && far > 0) ? short(x).replace('.00', '') : x.toFixed(places).replace('-', '−')));
}

export class Chart {
  readonly canvas = document.createElement('canvas');
  c: CanvasRenderingContext2D;
  private pen: Pen | null = null; // where the drawing goes to a file
  width = 0;
  height = 0;
  box: Box = { left: 0, top: 0, width: 1, height: 1 };
  x: [number, number] = [0, 1];
  y: [number, number] = [0, 1];

  constructor(name: string) {
    this.canvas.className = name;
    this.c = this.canvas.getContext('2d')!;
  }

  // Takes the size that the style gives the canvas; clears it.
  begin(margins: [number, number, number, number]) { // top, right, bottom, left
    const [top, right, bottom, left] = margins;
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.width = this.pen?.width ?? this.canvas.clientWidth;
    this.height = this.pen?.height ?? this.canvas.clientHeight;
    this.box = { left, top, width: Math.max(1, this.width - left - right), height: Math.max(1, this.height - top - bottom) };
    if (this.pen) return;
    const w = Math.max(1, Math.round(this.width * ratio)), h = Math.max(1, Math.round(this.height * ratio));
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.c.clearRect(0, 0, this.width, this.height);
    this.c.font = '11px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
  }

  // What `draw` draws here, as SVG.
  svg(draw: () => void, theme: Theme, [width, height] = [this.canvas.clientWidth || 640, this.canvas.clientHeight || 360]): string {
    const { c } = this;
    this.pen = new Pen(width, height);
    this.c = this.pen as unknown as CanvasRenderingContext2D; // the part of it that charts use
    try {
      draw();
      return this.pen.done(theme.panel);
    } finally {
      this.c = c;
      this.pen = null;
    }
  }

  px(x: number): number {
    return this.box.left + ((x - this.x[0]) / (this.x[1] - this.x[0] || 1)) * this.box.width;
  }

  py(y: number): number {
    return this.box.top + (1 - (y - this.y[0]) / (this.y[1] - this.y[0] || 1)) * this.box.height;
  }

  at_px(px: number): number {
    return this.x[0] + ((px - this.box.left) / this.box.width) * (this.x[1] - this.x[0]);
  }

  axes(theme: Theme, x_name: string, y_name: string) {
    const { c, box } = this;
    const xs = ticks(this.x[0], this.x[1], box.width / 75), ys = ticks(this.y[0], this.y[1], box.height / 34);
    c.lineWidth = 1;
    c.strokeStyle = theme.line;
    c.fillStyle = theme.muted;
    c.textBaseline = 'middle';
    c.textAlign = 'right';
    tick_words(ys).forEach((word, i) => {
      const y = Math.round(this.py(ys[i])) + 0.5;
      this.line(box.left, y, box.left + box.width, y);
      c.fillText(word, box.left - 6, y);
    });
    c.textBaseline = 'top';
    c.textAlign = 'center';
    tick_words(xs).forEach((word, i) => {
      const x = Math.round(this.px(xs[i])) + 0.5;
      this.line(x, box.top + box.height, x, box.top + box.height + 4);
      c.fillText(word, x, box.top + box.height + 6);
    });
    c.textAlign = 'right';
    c.fillText(x_name, box.left + box.width, box.top + box.height + 19);
    c.textAlign = 'left';
    c.textBaseline = 'alphabetic';
    c.fillText(y_name, 2, box.top - 6);
  }

  line(x: number, y: number, x2: number, y2: number) {
    this.c.beginPath();
    this.c.moveTo(x, y);
    this.c.lineTo(x2, y2);
    this.c.stroke();
  }

  clip(draw: () => void) {
    const { c, box } = this;
    c.save();
    c.beginPath();
    c.rect(box.left, box.top, box.width, box.height);
    c.clip();
    draw();
    c.restore();
  }

  curve(n: number, x: (i: number) => number, y: (i: number) => number) {
    const { c } = this;
    c.beginPath();
    for (let i = 0; i < n; i++) c.lineTo(this.px(x(i)), this.py(y(i)));
    c.stroke();
  }

  // The present moment.
  cursor(theme: Theme, x: number) {
    const { c, box } = this;
    const at = Math.round(this.px(x)) + 0.5;
    if (at < box.left - 1 || at > box.left + box.width + 1) return;
    c.strokeStyle = theme.ink;
    c.lineWidth = 1;
    this.line(at, box.top, at, box.top + box.height);
  }
}

export function range_of(values: Iterable<number>, room = 0.06): [number, number] {
  let lo = Infinity, hi = -Infinity;
  for (const v of values) {
    if (!Number.isFinite(v)) continue;
    lo = Math.min(lo, v);
    hi = Math.max(hi, v);
  }
  if (!(hi >= lo)) return [0, 1];
  const pad = hi > lo ? room * (hi - lo) : Math.max(1e-9, Math.abs(hi) * 0.1 || 1);
  return [lo - pad, hi + pad];
}
