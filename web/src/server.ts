// server.ts: runs that come from `routh view` piece by piece: a few frames with the page, so that there is a picture, then more of
// them, and all frames around the moment that is looked at. Nothing is asked for twice.
import { Balls, Frames, Happening, Head, Impact, Values, decode } from './data';
import { Run } from './run';

const CHUNK = 256; // frames that come together
const KEPT = 24; // chunks of a run that are kept
const PATIENCE = 60; // looks, half a second apart
const POINTS = 1500; // of a curve

export const token = new URLSearchParams(location.search).get('token') ?? '';

async function ask(path: string): Promise<Response> {
  const answer = await fetch(`${path}?token=${encodeURIComponent(token)}`);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer;
}

// A sandbox had other bodies by the time that it was asked.
export class Stale extends Error {}

export async function ask_json(path: string) {
  const text = await (await ask(path)).text();
  if (!text) throw new Stale(path);
  return JSON.parse(text);
}

export async function ask_block(path: string) {
  const bytes = await (await ask(path)).arrayBuffer();
  if (bytes.byteLength === 0) throw new Stale(path);
  return decode(bytes);
}

// A run whose frames are elsewhere.
export class ServedRun extends Run {
  private chunks = new Map<number, Frames | null>(); // null: asked for
  private curves = new Map<string, { all: Values | null; part: Values | null; asked: string; frames: number }>();
  private looked = new Set<string>(); // events that were looked into
  on_news: () => void = () => {};
  protected begun = 0; // [s] time of the first frame that the program has

  constructor(head: Head, index: number) {
    super(head, index);
  }

  path(what: string, ...numbers: (number | string)[]): string {
    return `/${[what, this.index + (this.head.number ?? 0), ...numbers].join('/')}`;
  }

  async ask_balls(frame: number, first: number, count: number): Promise<Balls | null> {
    return (await ask_block(this.path('crowd', frame, first, count))) as Balls;
  }

  // A finer level of detail of a visual mesh.
  want_look(mesh: number, level: number) {
    const key = `look ${mesh} ${level}`;
    if (this.looked.has(key)) return;
    this.looked.add(key);
    ask_block(this.path('look', mesh, level)).then((block) => {
      this.add(block);
      this.on_news();
    }, () => {}); // the one that is here does
  }

  // All of the run with about n frames, then with more, until it is fine enough or complete.
  async coarse(n: number) {
    const stride = Math.max(1, Math.ceil((this.head.frames - 1) / Math.max(1, n - 1)));
    this.add(await ask_block(this.path('frames', 0, n + 1, stride)));
    this.on_news();
  }

  async refine() {
    for (const n of [64, 600]) {
      if (!this.frames || (this.frames.stride > 1 && n > 2 * this.frames.count)) await this.coarse(n);
    }
  }

  // A recording that another program is still writing: looks for more until the run has ended, or nothing has come for a while.
  async watch() {
    this.growing = true;
    for (let idle = 0; idle < PATIENCE && this.growing; idle++) {
      await new Promise((done) => setTimeout(done, 500));
      const now = await ask_json(this.path('now'));
      if (now.frames > this.head.frames) {
        const { events } = this.head;
        if (now.event_count > events.length) events.push(...(await ask_json(this.path('events', events.length))).events);
        Object.assign(this.head, { frames: now.frames, event_count: now.event_count, end: now.end });
        this.chunks.clear();
        await this.coarse(600);
        idle = 0;
      }
      this.growing = now.running;
    }
    this.growing = false;
    this.on_news();
  }

  protected fine_at(t: number): Frames | null {
    if (!this.frames || this.frames.stride === 1) return null;
    const frame = Math.floor(t / this.head.every);
    const k = Math.floor(frame / CHUNK);
    if (!this.chunks.has(k)) this.fetch_chunk(k);
    return this.chunks.get(k) ?? null;
  }

  // One frame more than belongs to it, so that there is no gap to the next.
  private async fetch_chunk(k: number) {
    const waiting = [...this.chunks.values()].filter((c) => c === null).length;
    if (waiting > 1 || k * CHUNK >= this.head.frames) return;
    this.chunks.set(k, null);
    try {
      this.chunks.set(k, (await ask_block(this.path('frames', k * CHUNK, CHUNK + 1, 1))) as Frames);
    } catch {
      return; // it stays asked for; the coarse frames do
    }
    for (const old of this.chunks.keys()) {
      if (this.chunks.size <= KEPT) break;
      if (old !== k) this.chunks.delete(old);
    }
    this.on_news();
  }

  protected curve_of(k: number): Values[] {
    const name = this.head.channels[k].name;
    const entry = this.curves.get(name) ?? { all: null, part: null, asked: '', frames: 0 };
    this.curves.set(name, entry);
    // Of a live run again and again, as it grows.
    if (this.head.frames > 1.03 * entry.frames) {
      entry.frames = this.head.frames;
      this.fetch_curve(k, 0, this.head.frames - 1, (v) => (entry.all = v));
    }
    return entry.all ? (entry.part ? [joined(entry.all, entry.part)] : [entry.all]) : [];
  }

  protected forget() { // curves: the channels have changed
    this.curves.clear();
  }

  // Curves of a narrow window in more detail.
  look(view: [number, number]) {
    if (view[1] - view[0] > 0.5 * this.end) return;
    const every = this.head.every;
    const index = (t: number) => (t - this.begun) / every;
    const a = Math.max(0, Math.floor(index(view[0]))), b = Math.min(this.head.frames - 1, Math.ceil(index(view[1])));
    if (b < a) return;
    for (const [name, entry] of this.curves) {
      const key = `${a} ${b}`;
      if (!entry.all || entry.asked === key || entry.all.t.length >= this.head.frames) continue;
      entry.asked = key;
      const k = this.head.channels.findIndex((c) => c.name === name);
      this.fetch_curve(k, a, b, (v) => {
        if (entry.asked === key) entry.part = v;
      });
    }
  }

  private async fetch_curve(k: number, a: number, b: number, take: (v: Values) => void) {
    const stride = Math.max(1, Math.ceil((b - a) / POINTS));
    try {
      take((await ask_block(this.path('channels', a, Math.floor((b - a) / stride) + 1, stride, this.head.channels[k].id ?? k))) as Values);
      this.on_news();
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
    }
  }

  // What an event was made of comes when it is looked at.
  look_into(e: Happening) {
    const index = this.head.events.indexOf(e);
    const key = `${e.kind} ${e.t}`;
    const rigid = this.head.contacts.find((c) => c.name === e.name)?.rigid ?? true;
    if (index < 0 || this.looked.has(key)) return;
    this.looked.add(key);
    if (e.kind === 'impact') {
      ask_json(this.path('impacts', index)).then((list: Impact[]) => {
        this.impacts.push(...list);
        this.on_news();
      }, () => {});
    } else if (e.kind === 'touch' && !rigid && !this.zoom_at(e.t)) {
      ask_block(this.path('zoom', index)).then((block) => {
        this.add(block);
        this.on_news();
      }, () => {}); // a contact that lasts has none
    }
  }
}

// A curve with a stretch of it in more detail.
function joined(all: Values, part: Values): Values {
  if (part.count === 0) return all;
  let before = all.t.findIndex((t) => t >= part.t[0]);
  before = before < 0 ? all.count : before;
  let after = all.t.findIndex((t) => t > part.t[part.count - 1]);
  after = after < 0 ? all.count : after;
  const t = new Float64Array(before + part.count + all.count - after), value = new Float32Array(t.length);
  t.set(all.t.subarray(0, before));
  t.set(part.t, before);
  t.set(all.t.subarray(after), before + part.count);
  value.set(all.value.subarray(0, before));
  value.set(part.value.subarray(0, part.count), before);
  value.set(all.value.subarray(after, all.count), before + part.count);
  return { ...all, count: t.length, t, value };
}
