// live.ts: a run that goes on while it is looked at: new frames and events are fetched as they come, and the page can speak: pause,
// speed, drag a body.
import { Frames, Happening, POINT } from './data';
import { ServedRun, ask_block, ask_json, token } from './server';

const PERIOD = 60; // [ms] between two looks

interface Now {
  frames: number;
  event_count: number;
  end: number;
  running: boolean;
  ended: string | null;
  reason: string | null;
}

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

export class LiveRun extends ServedRun {
  running = true;
  fault: string | null = null;
  private number = -1;
  private socket: WebSocket | null = null;

  connect() {
    this.socket = new WebSocket(`ws://${location.host}/ws?token=${encodeURIComponent(token)}`, 'routh');
    const look = async () => {
      try {
        await this.look_again();
      } catch (error) {
        this.fault = `The program does not answer any more (${error instanceof Error ? error.message : error}).`;
        this.running = false;
        this.on_news();
        return;
      }
      setTimeout(look, PERIOD);
    };
    void look();
  }

  say(text: string) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
  }

  private async look_again() {
    const file = await ask_json('/file');
    if (this.number >= 0 && file.number !== this.number) {
      location.reload(); // another scene
      return;
    }
    this.number = file.number;
    const now: Now = await ask_json(`/now/${this.index}`);
    const have = this.frames?.count ?? 0;
    const news = now.frames > have || now.running !== this.running || file.fault !== this.fault;
    if (now.frames > have) {
      this.frames = glue_frames(this.frames, (await ask_block(`/frames/${this.index}/${have}/${now.frames - have}/1`)) as Frames);
    }
    const events: Happening[] = this.head.events;
    if (now.event_count > events.length) {
      events.push(...(await ask_json(`/events/${this.index}/${events.length}`)).events);
      if (events.some((e) => e.kind === 'impact')) this.impacts = await ask_json(`/impacts/${this.index}/0`);
    }
    Object.assign(this.head, { frames: now.frames, event_count: now.event_count, end: now.end, ended: now.ended, reason: now.reason });
    this.running = now.running;
    this.fault = file.fault;
    if (news) this.on_news();
  }

  async begin() {
    for (let k = 0; k < this.head.meshes; k++) this.add(await ask_block(`/mesh/${this.index}/${k}`));
    this.frames = (await ask_block(`/frames/${this.index}/0/100000/1`)) as Frames;
  }

  async refine() {}

  look_into() {}
}
