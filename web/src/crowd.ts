// crowd.ts: loose balls by the hundred thousand, which are no bodies of the page. Each is one point whose shader draws the ball that
// fills it, with its true outline and depth; one that covers few pixels is a flat disc. They come from the program frame by frame, one
// question at a time: while time runs as many as can be had in time, larger to fill the same space; at rest all of them.
import * as THREE from 'three';
import { Light, TO_SUN } from './light';
import { Run } from './run';
import { Theme } from './theme';

const PART = 65536; // balls that are asked for together
const FEWEST = 8192; // of a frame while time runs
const SOON = 60, LATE = 160; // [ms] for a frame while time runs: more balls next time, or fewer
const SWELL = 2.5; // a ball that stands for others is at most so many times as wide
const PATIENCE = 500; // [ms] after a question that failed

const vertex = `
attribute vec4 ball;
uniform float pixels, swell;
varying vec3 middle;
varying float radius, tone, wide;
void main() {
  vec4 seen = viewMatrix * vec4(ball.xyz, 1.0);
  middle = seen.xyz;
  radius = ball.w * swell;
  uint bits = uint(gl_VertexID) * 2654435761u; // neighbours differ a little in colour
  bits = (bits ^ (bits >> 15)) * 2246822519u;
  tone = float((bits >> 13) & 1023u) / 1023.0;
  gl_Position = projectionMatrix * seen;
  // a ball near the eye covers more than its width: tan(asin(r / d)) d
  float d = length(seen.xyz);
  wide = 2.0 * pixels * radius / sqrt(max(d * d - radius * radius, 0.01 * radius * radius)) * d / max(-seen.z, 1e-9);
  gl_PointSize = max(wide, 1.0);
}`;

const fragment = `
uniform mat4 projectionMatrix;
uniform vec3 color, dim, sun, to_sun_seen, up_seen, above, below;
varying vec3 middle;
varying float radius, tone, wide;
void main() {
  vec2 at = 2.0 * gl_PointCoord - 1.0;
  float off = dot(at, at);
  if (off > 1.0) discard;
  float deep = sqrt(1.0 - off);
  vec3 n = vec3(at.x, -at.y, deep);
  vec3 paint = mix(color, dim, tone);
  vec3 c = paint * (mix(below, above, 0.5 + 0.5 * dot(n, up_seen)) + max(0.0, dot(n, to_sun_seen)) * sun);
  c *= 0.55 + 0.45 * smoothstep(0.0, 0.6, deep); // neighbours stand apart by their rims
  gl_FragColor = vec4(c, 1.0);
  float z = middle.z + (wide > 3.0 ? radius * deep : 0.0);
  gl_FragDepth = 0.5 + 0.5 * (projectionMatrix[2][2] * z + projectionMatrix[3][2]) / -z;
  #include <colorspace_fragment>
}`;

export class Crowd {
  readonly object = new THREE.Group();
  shown = -1; // frame that is drawn
  count = 0; // balls of it that are drawn
  asked = 0; // questions so far, for the tests
  private ball: THREE.BufferAttribute;
  private geometry = new THREE.BufferGeometry();
  private material: THREE.ShaderMaterial;
  private next: Float32Array; // of a frame on its way
  private budget = FEWEST; // balls of a frame while time runs
  private waiting = false;
  private failed = 0; // [ms] when a question did
  private drawn = 0; // [ms] when the last picture was
  private between = 0; // [ms] two pictures

  constructor(readonly run: Run, readonly light: Light, readonly news: () => void) {
    const n = run.head.crowd!.n;
    this.next = new Float32Array(4 * n);
    this.ball = new THREE.BufferAttribute(new Float32Array(4 * n), 4);
    this.ball.setUsage(THREE.DynamicDrawUsage);
    this.geometry.setAttribute('ball', this.ball);
    this.geometry.setDrawRange(0, 0);
    const value = <T>(x: T) => ({ value: x });
    this.material = new THREE.ShaderMaterial({ vertexShader: vertex, fragmentShader: fragment, uniforms: {
      ...light.sky(), pixels: value(1), swell: value(1), color: value(new THREE.Color()), dim: value(new THREE.Color()),
      to_sun_seen: value(new THREE.Vector3()), up_seen: value(new THREE.Vector3()) } });
    const points = new THREE.Points(this.geometry, this.material);
    points.frustumCulled = false;
    this.object.add(points);
  }

  paint(theme: Theme) {
    this.material.uniforms.color.value.set(theme.bodies[0]);
    this.material.uniforms.dim.value.set(theme.bodies[0]).multiplyScalar(0.72);
  }

  // `pixels`: of 1 m at a distance of 1 m.
  update(t: number, playing: boolean, camera: THREE.Camera, pixels: number) {
    const { uniforms } = this.material;
    const now = performance.now();
    this.between = now - this.drawn;
    this.drawn = now;
    const turn = new THREE.Matrix3().setFromMatrix4(camera.matrixWorldInverse);
    uniforms.pixels.value = pixels;
    uniforms.to_sun_seen.value.copy(TO_SUN).normalize().applyMatrix3(turn);
    uniforms.up_seen.value.set(0, 0, 1).applyMatrix3(turn);
    uniforms.swell.value = Math.min(SWELL, Math.cbrt(this.run.head.crowd!.n / Math.max(1, this.count)));
    const frame = Math.max(0, Math.min(this.run.head.frames - 1, Math.round(t / this.run.head.every)));
    void this.want(frame, playing);
  }

  // One question at a time: what is wanted then is asked for next.
  private async want(frame: number, playing: boolean) {
    const all = this.run.head.crowd!.n;
    const more = frame === this.shown && !playing && this.count < all;
    if (this.waiting || (frame === this.shown && !more) || performance.now() < this.failed + PATIENCE) return;
    this.waiting = true;
    this.asked++;
    const begun = performance.now();
    try {
      if (more) await this.fetch(frame, this.count, Math.min(all, Math.max(2 * this.count, this.count + PART)));
      else await this.fetch(frame, 0, Math.min(all, this.budget));
      if (!more && playing) this.pace(Math.max(performance.now() - begun, this.between), all);
    } catch {
      this.failed = performance.now();
    }
    this.waiting = false;
    this.news();
  }

  // How many balls can be had in time: by the program, the connection and this page together.
  private pace(took: number, all: number) {
    if (took < SOON) this.budget = Math.min(all, 2 * this.budget);
    else if (took > LATE) this.budget = Math.max(FEWEST, Math.floor(this.budget / 2));
  }

  // Balls `from` to `to` of a frame; a frame is shown when its first balls are all here.
  private async fetch(frame: number, from: number, to: number) {
    let at = from;
    while (at < to) {
      const block = await this.run.ask_balls(frame, at, Math.min(PART, to - at));
      if (!block || block.count === 0) break;
      this.next.set(block.ball, 4 * at);
      at += block.count;
    }
    const array = this.ball.array as Float32Array;
    array.set(this.next.subarray(4 * from, 4 * at), 4 * from);
    this.ball.clearUpdateRanges();
    this.ball.addUpdateRange(4 * from, 4 * (at - from));
    this.ball.needsUpdate = true;
    this.shown = frame;
    this.count = at;
    this.geometry.setDrawRange(0, at);
  }

  // All that an exported page has, at once: for pictures.
  async complete(t: number) {
    const frame = Math.max(0, Math.min(this.run.head.frames - 1, Math.round(t / this.run.head.every)));
    await this.fetch(frame, 0, this.run.head.crowd!.n);
  }

  dispose() {
    this.geometry.dispose();
    this.material.dispose();
  }
}
