// run.ts: one run: its head, and whatever of its frames has come so far. Where a zoom covers a moment it is used, because its
// frames are closer together.
import { Balls, Block, CHANNELS, CROWD, Channel, EventKind, FIELD, FRAMES, Field, Frames, HULL, Happening, Head, Hull, Impact, LEDGER, LOOK, Look, POINT, POSE, Values, ZOOM,
  bytes_of, decode } from './data';

export interface Moment { // between frames i and j of a block, `f` of the way
  block: Frames;
  i: number;
  j: number;
  f: number;
}

export interface Curve {
  t: ArrayLike<number>;
  v: ArrayLike<number>;
}

// The last index with t[index] <= x; 0 before the first.
export function last_before(t: ArrayLike<number>, x: number): number {
  let lo = 0, hi = t.length;
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (t[middle] <= x) lo = middle + 1;
    else hi = middle;
  }
  return Math.max(0, lo - 1);
}

// Kinds of events, from the heads of the runs: words and texts are those of the program.
const kinds = new Map<string, EventKind>();

export const is_impulsive = (e: Happening) => kinds.get(e.kind)?.impulse ?? false;
export const is_verdict = (e: Happening) => kinds.get(e.kind)?.verdict ?? false;
export const is_error = (e: Happening) => kinds.get(e.kind)?.error ?? false;
export const event_text = (e: Happening) => kinds.get(e.kind)?.doc ?? e.kind;

export class Run {
  frames: Frames | null = null;
  zooms: Frames[] = [];
  meshes: (Hull | Field | undefined)[] = [];
  looks: Map<number, Look>[] = []; // levels of detail that are here, by visual mesh
  impacts: Impact[] = [];
  balls = new Map<number, Balls>(); // of a crowd, by frame: those that an exported page has
  growing = false; // somebody still writes it
  protected values: Values[] = [];

  constructor(readonly head: Head, readonly index: number) {
    for (const kind of head.event_kinds) kinds.set(kind.name, kind);
  }

  add(block: Block) {
    if (block.kind === FRAMES) this.frames = block as Frames;
    else if (block.kind === CROWD) this.balls.set((block as Balls).frame, block as Balls);
    else if (block.kind === ZOOM) {
      if ((block as Frames).count > 1) this.zooms.push(block as Frames);
    } else if (block.kind === CHANNELS) this.values.push(block as Values);
    else if (block.kind === LOOK) {
      const look = block as Look;
      (this.looks[look.mesh] ??= new Map()).set(look.level, look);
    } else if (block.kind === HULL || block.kind === FIELD) this.meshes[(block as Hull).mesh] = block as Hull | Field;
  }

  get end(): number {
    return this.head.end;
  }

  get step(): number { // [s] between the frames that are here
    return this.head.every * (this.frames ? this.frames.stride : 1);
  }

  zoom_at(t: number): Frames | undefined {
    return this.zooms.find((z) => t >= z.t[0] && t <= z.t[z.count - 1]);
  }

  at(t: number): Moment | null {
    const block = this.zoom_at(t) ?? this.fine_at(t) ?? this.frames;
    if (!block || block.count === 0) return null;
    const i = last_before(block.t, t);
    const j = Math.min(i + 1, block.count - 1);
    const span = block.t[j] - block.t[i];
    const f = span > 0 ? Math.min(1, Math.max(0, (t - block.t[i]) / span)) : 0;
    return { block, i, j, f };
  }

  // For runs that come piece by piece: frames closer together where they are here; curves; looking into an event.
  protected fine_at(_t: number): Frames | null {
    return null;
  }

  protected curve_of(_k: number): Values[] {
    return this.values;
  }

  want_look(_mesh: number, _level: number) {}

  // Balls of a frame from number `first` of their order on; null: the page has none of them.
  async ask_balls(frame: number, first: number, count: number): Promise<Balls | null> {
    const all = [...this.balls.keys()];
    const near = all.reduce((best, f) => (Math.abs(f - frame) < Math.abs(best - frame) ? f : best), all[0] ?? -1);
    const b = this.balls.get(near);
    return b ? { ...b, frame, first, count: Math.max(0, Math.min(count, b.count - first)), ball: b.ball.subarray(4 * first, 4 * (first + count)) } : null;
  }

  look(_view: [number, number]) {}

  look_into(_e: Happening) {}

  ledger(m: Moment, row: number): number {
    const a = m.block.ledger[m.i * LEDGER + row], b = m.block.ledger[m.j * LEDGER + row];
    return a + m.f * (b - a);
  }

  // Calls with the offset of each contact point of the frame that is nearest before.
  points(m: Moment, call: (offset: number, point: Float32Array) => void) {
    const b = m.block;
    const k = m.f > 0.999 ? m.j : m.i;
    for (let i = b.start[k]; i < b.start[k + 1]; i++) call(i * POINT, b.point);
  }

  position(m: Moment, body: number): [number, number, number] {
    if (body === 0) return [0, 0, 0];
    const p = m.block.pose, n = m.block.bodies;
    const a = (m.i * n + body - 1) * POSE, b = (m.j * n + body - 1) * POSE;
    return [0, 1, 2].map((k) => p[a + k] + m.f * (p[b + k] - p[a + k])) as [number, number, number];
  }

  channel(name: string): Curve | null {
    const k = this.head.channels.findIndex((c) => c.name === name);
    if (k < 0) return null;
    const constant = this.head.channels[k].constant;
    if (constant !== undefined) return { t: [0, this.end], v: [constant, constant] };
    for (const v of this.curve_of(k)) {
      const at = v.index.indexOf(this.head.channels[k].id ?? k);
      if (at >= 0) return { t: v.t, v: v.value.subarray(at * v.count, (at + 1) * v.count) };
    }
    return null;
  }

  unit(name: string): string {
    return this.head.channels.find((c) => c.name === name)?.unit ?? '';
  }

  // Several impacts may follow one another at one time: the impulse tells them apart.
  impact_of(e: Happening): Impact | undefined {
    let best: Impact | undefined, least = Infinity;
    for (const x of this.impacts) {
      const c = Math.abs(x.t - e.t) <= 1e-9 * Math.max(1, e.t) && x.contacts.find((k) => k.slot === e.slot);
      if (!c) continue;
      const off = Math.abs(c.p[2] - (e.impulse ?? 0));
      if (off < least) [best, least] = [x, off];
    }
    return best;
  }
}

const changes = (c: Channel) => c.constant === undefined;

// What can be plotted of a contact: normal forces of its points, then the rest of them.
export function contact_channels(run: Run, contact: string): string[] {
  const mine = run.head.channels.filter((c) => c.name.startsWith(`${contact}.`) && changes(c)).map((c) => c.name);
  const normal = mine.filter((n) => n.endsWith('.normal'));
  return (normal.length > 0 ? normal : mine).slice(0, 4);
}

// What can be plotted of a body: its place and velocity, and the coordinates of its joint.
export function body_channels(run: Run, body: number): string[] {
  const { name, joint } = run.head.bodies[body];
  return run.head.channels.filter((c) => changes(c) && [name, joint].some((n) => n && c.name.startsWith(`${n}.`))).map((c) => c.name);
}

// The runs that the page carries: all of them in an exported one, their beginnings in one that comes from `routh view`.
export function embedded_runs(make: (head: Head, index: number) => Run): Run[] {
  const runs: Run[] = [];
  for (const element of document.querySelectorAll<HTMLElement>('.routh-head')) {
    runs.push(make(JSON.parse(element.textContent ?? ''), runs.length));
  }
  for (const element of document.querySelectorAll<HTMLElement>('.routh-block')) {
    runs[Number(element.dataset.run)].add(decode(bytes_of(element.textContent ?? '')));
    element.remove(); // the text is not needed twice
  }
  for (const element of document.querySelectorAll<HTMLElement>('.routh-impacts')) {
    runs[Number(element.dataset.run)].impacts = JSON.parse(element.textContent ?? '[]');
  }
  return runs;
}
