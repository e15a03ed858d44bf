// pen.ts: what charts draw, as SVG: the part of a canvas' context that they use, written down in place of being painted.

interface Style {
  strokeStyle: string;
  fillStyle: string;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: string;
  textBaseline: string;
  dash: number[];
  clip: string; // of a <clipPath>; '': none
}

const round = (x: number) => String(Math.round(100 * x) / 100);
const plain = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export class Pen {
  strokeStyle = '#000';
  fillStyle = '#000';
  lineWidth = 1;
  globalAlpha = 1;
  font = '11px sans-serif';
  textAlign = 'left';
  textBaseline = 'alphabetic';
  dash: number[] = [];
  private clip_path = '';
  private parts: string[] = [];
  private path = '';
  private clips = 0;
  private kept: Style[] = [];

  constructor(readonly width: number, readonly height: number) {}

  beginPath() {
    this.path = '';
  }

  moveTo(x: number, y: number) {
    this.path += `M${round(x)} ${round(y)}`;
  }

  lineTo(x: number, y: number) {
    if (!Number.isFinite(x + y)) return;
    this.path += `${this.path ? 'L' : 'M'}${round(x)} ${round(y)}`;
  }

  closePath() {
    this.path += 'Z';
  }

  rect(x: number, y: number, w: number, h: number) {
    this.path += `M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}Z`;
  }

  arc(x: number, y: number, r: number) { // charts draw whole circles only
    if (Number.isFinite(x + y)) this.path += `M${round(x - r)} ${round(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  }

  private common(): string {
    return (this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : '') + (this.clip_path ? ` clip-path="url(#${this.clip_path})"` : '');
  }

  stroke() {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(' ')}"` : '';
    this.parts.push(`<path d="${this.path}" fill="none" stroke="${plain(this.strokeStyle)}" stroke-width="${round(this.lineWidth)}"${dash}${this.common()}/>`);
  }

  fill() {
    this.parts.push(`<path d="${this.path}" fill="${plain(this.fillStyle)}"${this.common()}/>`);
  }

  fillRect(x: number, y: number, w: number, h: number) {
    this.parts.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" fill="${plain(this.fillStyle)}"${this.common()}/>`);
  }

  fillText(text: string, x: number, y: number) {
    const anchor = { left: 'start', right: 'end', center: 'middle' }[this.textAlign] ?? 'start';
    const down = { top: 0.8, middle: 0.35, bottom: -0.2 }[this.textBaseline] ?? 0;
    const size = parseFloat(this.font) || 11;
    this.parts.push(`<text x="${round(x)}" y="${round(y + down * size)}" font-size="${size}" text-anchor="${anchor}" ` +
      `fill="${plain(this.fillStyle)}"${this.common()}>${plain(text)}</text>`);
  }

  measureText(text: string) {
    return { width: 0.55 * (parseFloat(this.font) || 11) * text.length };
  }

  setLineDash(dash: number[]) {
    this.dash = dash;
  }

  clip() {
    const name = `clip${++this.clips}`;
    this.parts.push(`<clipPath id="${name}"${this.clip_path ? ` clip-path="url(#${this.clip_path})"` : ''}><path d="${this.path}"/></clipPath>`);
    this.clip_path = name;
  }

  save() {
    const { strokeStyle, fillStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, dash, clip_path } = this;
    this.kept.push({ strokeStyle, fillStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, dash, clip: clip_path });
  }

  restore() {
    const { clip, ...style } = this.kept.pop()!;
    Object.assign(this, style);
    this.clip_path = clip;
  }

  setTransform() {}

  clearRect() {}

  done(paper: string): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}" ` +
      `font-family="system-ui, Segoe UI, Noto Sans, DejaVu Sans, sans-serif"><rect width="100%" height="100%" fill="${plain(paper)}"/>${this.parts.join('\n')}</svg>\n`;
  }
}
