// live.ts: a run that goes on while it is looked at: new frames and events are fetched as they come, and the page can speak: pause,
// speed, drag a body.
import { Body, Frames, Happening, Head, LEDGER, POINT, POSE } from './data';
import { ServedRun, Stale, ask_block, ask_json, token } from './server';

const PERIOD = 60; // [ms] between two looks

interface Now {
  frames: number;
  event_count: number;
  end: number;
  running: boolean;
  ended: string | null;
  reason: string | null;
  pace: number;
  speed: number;
  inputs: number; // that the user gave
  changes: number; // of them those that changed values
  refused: string | null;
}

const KEPT = 3000; // frames that are kept when the bodies change

function glue<T extends Float32Array | Float64Array>(a: T, b: T): T {
  const all = new (a.constructor as new (n: number) => T)(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

// Two stretches that follow one another.
function glue_frames(a: Frames | null, b: Frames): Frames {
  if (!a || a.count === 0) return b;
  const shift = a.point.length / POINT;
  const start = new Uint32Array(a.count + b.count + 1);
  start.set(a.start);
  b.start.forEach((s, i) => (start[a.count + i] = s + shift));
  return {
    ...a, count: a.count + b.count, t: glue(a.t, b.t), pose: glue(a.pose, b.pose), ledger: glue(a.ledger, b.ledger),
    start, point: glue(a.point, b.point),
  };
}

// The same frames for other bodies, by name; those that were not there yet are nowhere (not a number).
function frames_for(f: Frames, was: Body[], is: Body[], until: number): Frames | null {
  let end = f.count;
  while (end > 0 && f.t[end - 1] >= until) end--;
  const from = Math.max(0, end - KEPT), count = end - from, bodies = is.length - 1;
  if (count === 0) return null;
  const old = is.map((b) => was.findIndex((x) => x.name === b.name));
  const pose = new Float32Array(count * bodies * POSE).fill(NaN);
  for (let i = 0; i < count; i++) {
    for (let k = 1; k <= bodies; k++) {
      if (old[k] < 1) continue;
      const o = ((from + i) * f.bodies + old[k] - 1) * POSE;
      pose.set(f.pose.subarray(o, o + POSE), (i * bodies + k - 1) * POSE);
    }
  }
  const shift = f.start[from];
  return {
    ...f, count, bodies, pose, t: f.t.slice(from, end), ledger: f.ledger.slice(from * LEDGER, end * LEDGER),
    start: f.start.slice(from, end + 1).map((x) => x - shift), point: f.point.slice(shift * POINT, f.start[end] * POINT),
  };
}

export class LiveRun extends ServedRun {
  running = true;
  pace = 1; // simulated time against the clock
  asked = 1; // what that should be
  on_file: (file: any) => void = () => {};
  on_bodies: () => void = () => {}; // there are others
  private before = { frames: 0, events: 0, impacts: 0 }; // of earlier bodies
  fault: string | null = null;
  refused: string | null = null; // why the last value was not taken
  inputs = 0;
  on_change: () => void = () => {}; // of values
  private changes = 0;
  private number = -1;
  private socket: WebSocket | null = null;

  connect() {
    this.begun = this.frames?.t[0] ?? 0;
    this.socket = new WebSocket(`ws://${location.host}/ws?token=${encodeURIComponent(token)}`, 'routh');
    const look = async () => {
      try {
        await this.look_again();
      } catch (error) {
        if (error instanceof Stale) {
          setTimeout(look, 0);
          return;
        }
        this.fault = `The program does not answer (${error instanceof Error ? error.message : error}).`;
        this.running = false;
        this.on_news();
        return;
      }
      setTimeout(look, PERIOD);
    };
    void look();
  }

  say(text: string) {
    const { socket } = this;
    if (socket?.readyState === WebSocket.OPEN) socket.send(text);
    else if (socket?.readyState === WebSocket.CONNECTING) socket.addEventListener('open', () => socket.send(text), { once: true });
  }

  private async look_again() {
    const file = await ask_json('/file');
    if (file.sandbox && file.number !== this.head.number) {
      await this.fetch_news().catch((error) => { // the rest of the run before
        if (!(error instanceof Stale)) throw error;
      });
      await this.renew(file.number);
    }
    if (!file.sandbox && this.number >= 0 && file.number !== this.number) {
      location.reload(); // another scene
      return;
    }
    this.number = file.number;
    const news = (await this.fetch_news()) || file.fault !== this.fault;
    this.fault = file.fault;
    this.on_file(file);
    if (news) this.on_news();
  }

  private async fetch_news(): Promise<boolean> {
    const now: Now = await ask_json(this.path('now'));
    const have = (this.frames?.count ?? 0) - this.before.frames;
    const news = now.frames > have || now.running !== this.running;
    if (now.frames > have) {
      const more = (await ask_block(this.path('frames', have, now.frames - have, 1))) as Frames;
      this.frames = glue_frames(this.frames, more);
    }
    const events: Happening[] = this.head.events;
    const heard = events.length - this.before.events;
    if (now.event_count > heard) {
      events.push(...(await ask_json(this.path('events', heard))).events);
      if (events.some((e) => e.kind === 'impact')) {
        this.impacts.push(...(await ask_json(this.path('impacts', this.impacts.length - this.before.impacts))));
      }
    }
    Object.assign(this.head, { frames: now.frames, event_count: events.length, end: now.end, ended: now.ended, reason: now.reason });
    const turned = now.changes !== this.changes || now.refused !== this.refused;
    this.running = now.running;
    this.pace = now.pace;
    this.asked = now.speed;
    this.inputs = now.inputs;
    this.refused = now.refused;
    this.changes = now.changes;
    if (turned) this.on_change();
    return news;
  }

  // A sandbox has other bodies: what was seen so far stays, as far as these were part of it.
  private async renew(number: number) {
    const head: Head = await ask_json(`/head/${number}`);
    const frames = (await ask_block(`/frames/${number}/0/100000/1`)) as Frames;
    const until = frames.t[0] ?? 0;
    const old = this.frames && until > 0 ? frames_for(this.frames, this.head.bodies, head.bodies, until) : null;
    const events = this.head.events.filter((e) => e.t <= until && until > 0);
    const impacts = this.impacts.filter((x) => x.t <= until && until > 0);
    this.before = { frames: old?.count ?? 0, events: events.length, impacts: impacts.length };
    this.frames = old ? glue_frames(old, frames) : frames;
    this.impacts = impacts;
    Object.assign(this.head, head, { events: [...events, ...head.events], event_count: events.length + head.events.length });
    this.begun = until;
    this.forget();
    this.on_bodies();
  }

  async refine() {}

  look_into() {}
}
