// data.ts: what the program tells the page: a JSON head and blocks of numbers. src/viewer/viewer.h has the same in C.

export interface Body {
  name: string;
  parent: number;
  moves: boolean;
  mass: number;
  com?: number[]; // in its own frame
  joint?: string;
  kind?: string;
}

export interface Shape {
  name: string;
  kind: string;
  body: number;
  at: number[];
  turn: number[]; // rotation matrix, row major
  mesh?: number;
  radius?: number[];
  length?: number[];
  size?: number[];
  semi?: number[];
  round?: number[];
}

export interface Visual { // drawn in the place of the shapes of its body
  kind: string;
  body: number;
  at: number[];
  turn: number[];
  mesh?: number;
  radius?: number[];
  length?: number[];
  size?: number[];
  semi?: number[];
  scale?: number[];
  color?: number[]; // red, green, blue (sRGB), opacity
}

export interface Tendon { // its path in the numbers of a frame: points from `first` on, in pieces that are not joined
  name: string;
  first: number;
  pieces: number[];
}

export interface Sensor { // its reading: `width` numbers from `first` on
  name: string;
  kind: string;
  body: number;
  shape: number;
  at: number[];
  turn: number[];
  first: number;
  width: number;
}

export interface Contact {
  name: string;
  rigid: boolean;
  law: string | null;
  friction: string | null;
  mu_s: number;
  mu_k: number;
  e?: number;
}

export interface Channel {
  name: string;
  unit: string;
  constant?: number;
  id?: number; // in requests, where the head has only some of them
}

export interface Happening { // an event; numbers that are left out are zero
  t: number;
  kind: string;
  name: string;
  bodies?: [string, string]; // that meet, one that moves first
  slot?: number;
  at?: number[];
  before?: number;
  after?: number;
  impulse?: number;
  friction?: number;
  Dn?: number;
  Dt?: number;
  work?: number;
  note?: string;
}

export interface EventKind {
  name: string;
  doc: string;
  impulse: boolean; // velocities change in no time
  verdict: boolean; // a case that the laws of rigid bodies left open, or that violated energy
  error?: boolean; // the result is not to be trusted
}

export interface Head {
  format: number;
  routh: string;
  run: string;
  number?: number; // under which it is asked for
  live?: boolean;
  scene_name: string | null;
  scene: string | null;
  ended: string | null;
  reason: string | null;
  frames: number;
  event_count: number;
  hash: string;
  end: number;
  gravity: number[];
  every: number;
  until: number;
  bodies: Body[];
  shapes: Shape[];
  meshes: number;
  visuals: Visual[];
  tendons: Tendon[];
  sensors: Sensor[];
  crowd?: { n: number; low: number[]; high: number[] }; // loose balls, which are not among the bodies; the box around them
  looks: { triangles: number; cells: number[] }[]; // of visual meshes: cell [m] of each level of detail
  haptic?: { tool: number; device: number }; // bodies
  session?: string | null; // JSON: what `routh haptic` noted at its end
  contacts: Contact[];
  ledger: { name: string; doc: string }[];
  event_kinds: EventKind[];
  channels: Channel[];
  events: Happening[];
}

export interface Struck { // one contact of an impact; rows t1, t2, n
  slot: number;
  contact: number;
  e: number;
  mu_s: number;
  mu_k: number;
  at: number[];
  t1: number[];
  t2: number[];
  n: number[];
  u: number[]; // [m/s] before
  p: number[]; // [N s]
}

export interface Impact {
  t: number;
  law: string;
  form: string | null;
  contacts: Struck[];
  W?: number[][];
  Pc?: number;
  turns?: { kind: string; pn: number }[];
  path?: number[][]; // p, u, Wn, Wt at equal steps of the normal impulse
}

export const FRAMES = 1, CHANNELS = 2, HULL = 3, FIELD = 4, ZOOM = 5, LOOK = 6, CROWD = 7;
export const POSE = 7, LEDGER = 13, POINT = 16;
export const IDLE = 0, STICK = 1, SLIP = 2;

export interface Frames {
  kind: number;
  first: number; // frame, or the event of a zoom
  stride: number;
  count: number;
  bodies: number;
  t: Float64Array;
  pose: Float32Array;
  ledger: Float32Array;
  start: Uint32Array;
  point: Float32Array;
  devices: number; // numbers of tendons and sensors in each frame
  device: Float32Array;
}

export interface Values {
  kind: number;
  count: number;
  t: Float64Array;
  index: Uint32Array;
  value: Float32Array;
}

export interface Hull {
  kind: number;
  mesh: number;
  corner: Float32Array;
  triangle: Uint32Array;
}

export interface Field {
  kind: number;
  mesh: number;
  x: Float32Array;
  y: Float32Array;
  height: Float32Array;
}

export interface Look { // a level of detail of a visual mesh
  kind: number;
  mesh: number;
  level: number;
  corner: Float32Array;
  triangle: Uint32Array;
  part: Uint32Array; // first triangle, colour; in turn
}

export interface Balls { // of a crowd, from number `first` of their order on
  kind: number;
  frame: number;
  first: number;
  count: number;
  all: number; // of the crowd
  ball: Float32Array; // x y z, radius
}

export type Block = Frames | Values | Hull | Field | Look | Balls;

// A block must be exactly as long as its head says; anything else is refused.
export function decode(buffer: ArrayBuffer): Block {
  if (buffer.byteLength < 32) throw new Error('a block is too short');
  const [magic, kind, first, count, stride, n1, n2, n3] = new Uint32Array(buffer, 0, 8);
  if (magic !== 0x31534852) throw new Error('a block has a wrong head');
  let at = 32;
  const room = (bytes: number) => {
    const from = at;
    at += bytes;
    if (at > buffer.byteLength) throw new Error('a block is cut short');
    return from;
  };
  const f64 = (n: number) => new Float64Array(buffer, room(8 * n), n);
  const f32 = (n: number) => new Float32Array(buffer, room(4 * n), n);
  const u32 = (n: number) => new Uint32Array(buffer, room(4 * n), n);
  let block: Block;
  if (kind === FRAMES || kind === ZOOM) {
    block = {
      kind, first, stride, count, bodies: n1,
      t: f64(count), pose: f32(count * n1 * POSE), ledger: f32(count * LEDGER),
      start: u32(count + 1), point: f32(n2 * POINT), devices: n3, device: f32(count * n3),
    };
  } else if (kind === CHANNELS) {
    block = { kind, count, t: f64(count), index: u32(n1), value: f32(n1 * count) };
  } else if (kind === HULL) {
    block = { kind, mesh: first, corner: f32(3 * n1), triangle: u32(3 * n2) };
  } else if (kind === FIELD) {
    block = { kind, mesh: first, x: f32(n1), y: f32(n2), height: f32(n1 * n2) };
  } else if (kind === LOOK) {
    block = { kind, mesh: first, level: stride, corner: f32(3 * n1), triangle: u32(3 * n2), part: u32(2 * n3) };
  } else if (kind === CROWD) {
    block = { kind, frame: first, first: stride, count, all: n1, ball: f32(4 * count) };
  } else {
    throw new Error(`a block of unknown kind ${kind}`);
  }
  if (at !== buffer.byteLength) throw new Error('a block is longer than its head states');
  return block;
}

export function bytes_of(base64: string): ArrayBuffer {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}
