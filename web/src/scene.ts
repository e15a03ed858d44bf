// scene.ts: the picture: light, camera, bodies, ground, marks. z is up, as in the scenes.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Frames, POSE } from './data';
import { Ground } from './ground';
import { Marks } from './marks';
import { Bodies } from './shapes';
import { State } from './state';
import { Theme } from './theme';

const SLOW = 0.055; // [s] a picture: from here on it is made simpler
const BENDS = 0.35; // [s] how long the camera takes to a new place

export class Picture {
  readonly canvas: HTMLCanvasElement;
  private renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private camera = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
  private controls: OrbitControls;
  private sun = new THREE.DirectionalLight('#fff', 2.1);
  private sky = new THREE.HemisphereLight('#fff', '#cfc8ba', 1.35);
  private bodies: Bodies[] = [];
  private marks: Marks[] = [];
  private ground: Ground;
  private centre = new THREE.Vector3();
  private size = 1; // [m] of what is looked at
  private followed = new THREE.Vector3();
  private band = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2), new THREE.MeshBasicMaterial({ depthTest: false, transparent: true }));
  private band_of: { body: number; grip: number[] } | null = null;
  private band_to = new THREE.Vector3();
  private taken = new THREE.Vector3(); // where a body was taken, in the world
  private drawn = 0; // [s] when the last picture was
  private pace = 0; // [s] between two, on average
  private ease_level = 0;
  private following = -1;
  private glass = false;
  private measured: Frames | null = null; // frames that the size was taken from
  private sized = false;
  private painted_body = -1; // the selected one, as the colours have it
  private touched = false; // the user has moved the camera
  private theme!: Theme;
  private moving: { from: THREE.Vector3; to: THREE.Vector3; far: number; near: number; begun: number } | null = null;

  constructor(readonly state: State, parent: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.canvas = this.renderer.domElement;
    this.canvas.className = 'picture';
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('aria-label', 'three-dimensional picture of the scene');
    parent.append(this.canvas);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.state.changed());
    this.controls.addEventListener('start', () => (this.touched = true));
    for (const run of state.runs) {
      const bodies = new Bodies(run, run.index > 0);
      this.bodies.push(bodies);
      this.scene.add(bodies.object);
    }
    const lowest = this.measure();
    this.measured = state.run.frames;
    this.ground = new Ground(state.run, this.size, this.centre.clone(), lowest);
    this.scene.add(this.ground.object, this.sun, this.sun.target, this.sky, this.band);
    for (const run of state.runs) {
      const marks = new Marks(run, this.size);
      this.marks.push(marks);
      this.scene.add(marks.object);
    }
    this.add_light();
    this.home();
    this.canvas.addEventListener('dblclick', (e) => this.pick(e));
    new ResizeObserver(() => this.resize(parent)).observe(parent);
    this.resize(parent);
  }

  // Where things are, over the whole run; returns the lowest z.
  private measure(): number {
    const box = new THREE.Box3();
    const run = this.state.run;
    const b = run.frames;
    const moves = run.head.bodies.map((x) => x.moves);
    const reach = Math.max(1e-4, this.bodies[0].reach() || 0.1);
    const at = new THREE.Vector3();
    const now = new THREE.Box3();
    let wide = 0; // how far apart they are at one time, at most
    for (let i = 0; b && i < b.count; i += Math.max(1, Math.floor(b.count / 200))) {
      now.makeEmpty();
      for (let k = 0; k < b.bodies; k++) {
        if (!moves[k + 1]) continue;
        const o = (i * b.bodies + k) * POSE;
        at.set(b.pose[o], b.pose[o + 1], b.pose[o + 2]);
        if (Number.isFinite(at.lengthSq())) now.expandByPoint(at);
      }
      box.union(now);
      wide = Math.max(wide, now.isEmpty() ? 0 : now.getSize(at).length());
    }
    if (box.isEmpty()) box.set(new THREE.Vector3(-0.5, -0.5, 0), new THREE.Vector3(0.5, 0.5, 1));
    box.expandByScalar(reach);
    box.getCenter(this.centre);
    this.size = Math.min(box.getSize(at).length() / 2.2, Math.max(9 * reach, wide / 1.8));
    return box.min.z;
  }

  private add_light() {
    const s = this.size * 3;
    this.sun.castShadow = this.ease_level < 2;
    this.sun.shadow.mapSize.setScalar(this.ease_level < 1 ? 2048 : 512);
    Object.assign(this.sun.shadow.camera, { left: -s, right: s, top: s, bottom: -s, near: 0.1 * s, far: 8 * s });
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.001 * this.size;
    this.sun.shadow.radius = 5;
  }

  home() { // the whole scene, from the front and a little above
    this.controls.target.copy(this.centre);
    const away = new THREE.Vector3(0.55, -1, 0.42).normalize();
    const narrow = Math.min(1, this.camera.aspect || 1);
    this.camera.position.copy(this.centre).addScaledVector(away, (this.size * 3.3) / narrow);
    this.camera.near = this.size / 200;
    this.camera.far = this.size * 400;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.state.changed();
  }

  private resize(parent: HTMLElement) {
    const w = Math.max(1, parent.clientWidth), h = Math.max(1, parent.clientHeight);
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.state.changed();
  }

  private pick(e: MouseEvent) {
    this.state.body = this.bodies[0].pick(this.ray(e.clientX, e.clientY))?.body ?? -1;
    this.state.changed();
  }

  // Brings a place into the middle, and near.
  look_at(at: number[]) {
    const far = this.camera.position.distanceTo(this.controls.target);
    const near = Math.min(far, 9 * Math.max(this.bodies[0].reach(), this.size / 20));
    this.moving = { from: this.controls.target.clone(), to: new THREE.Vector3(...at), far, near, begun: performance.now() };
    this.state.changed();
  }

  paint(theme: Theme) {
    this.theme = theme;
    this.scene.background = new THREE.Color(theme.paper);
    this.scene.fog = new THREE.Fog(theme.paper, this.size * 14, this.size * 40);
    this.sky.color.set(theme.dark ? '#aab4c0' : '#ffffff');
    this.sky.groundColor.set(theme.dark ? '#33373b' : '#cfcac0');
    this.sky.intensity = theme.dark ? 1.6 : 2.2;
    this.sun.intensity = theme.dark ? 2.2 : 2.0;
    this.painted_body = this.state.body;
    for (const b of this.bodies) b.paint(theme, this.state.body);
    for (const m of this.marks) m.paint(theme);
    this.ground.paint(theme);
    this.state.changed();
  }

  private follow() {
    const body = this.state.body > 0 ? this.state.body : this.first_moving();
    const m = this.state.run.at(this.state.t);
    if (!m || body < 0) return;
    const at = new THREE.Vector3(...this.state.run.position(m, body));
    if (this.following === body) {
      at.sub(this.followed);
      this.controls.target.add(at);
      this.camera.position.add(at);
      this.followed.add(at);
    } else {
      this.following = body; // it comes into the middle
      this.followed.copy(at);
      at.sub(this.controls.target);
      this.controls.target.add(at);
      this.camera.position.add(at);
    }
  }

  private first_moving(): number {
    return this.state.run.head.bodies.findIndex((b) => b.moves);
  }

  private glide() {
    if (!this.moving) return;
    const x = Math.min(1, (performance.now() - this.moving.begun) / 1000 / BENDS);
    const { from, to, far, near } = this.moving;
    const share = x * x * (3 - 2 * x);
    const away = this.camera.position.clone().sub(this.controls.target).normalize();
    this.controls.target.copy(from).lerp(to, share);
    this.camera.position.copy(this.controls.target).addScaledVector(away, far + share * (near - far));
    if (x >= 1) this.moving = null;
    else this.state.changed();
  }

  // More frames came: the run may reach farther than was known.
  private measure_again() {
    if (this.measured === this.state.run.frames) return;
    this.measured = this.state.run.frames;
    if (this.state.live && this.sized) return; // a picture that grew all the time would be hard to look at
    this.sized = (this.measured?.count ?? 0) > 0;
    const lowest = this.measure();
    this.scene.remove(this.ground.object);
    this.ground = new Ground(this.state.run, this.size, this.centre.clone(), lowest);
    this.scene.add(this.ground.object);
    for (const m of this.marks) m.size = this.size;
    this.add_light();
    this.paint(this.theme);
    if (!this.touched) this.home();
  }

  // A slow machine gets a simpler picture: smaller shadows, then none, then fewer pixels.
  private ease(parent: HTMLElement) {
    const now = performance.now() / 1000;
    const took = now - this.drawn;
    this.drawn = now;
    if (!this.state.playing || took > 1) return;
    this.pace = 0.85 * this.pace + 0.15 * took;
    if (this.pace < SLOW || this.ease_level >= 3) return;
    this.pace = 0;
    this.ease_level++;
    if (this.ease_level === 1) {
      this.sun.shadow.map?.dispose();
      this.sun.shadow.map = null;
      this.sun.shadow.mapSize.set(512, 512);
      this.renderer.setPixelRatio(1);
    } else if (this.ease_level === 2) this.sun.castShadow = false;
    else this.renderer.setPixelRatio(0.6);
    this.resize(parent);
  }

  draw() {
    const { state } = this;
    this.ease(this.canvas.parentElement!);
    this.measure_again();
    if (this.painted_body !== state.body) this.paint(this.theme);
    if (state.flags.follow) this.follow();
    else this.following = -1;
    this.glide();
    if (state.flags.glass !== this.glass) {
      this.glass = state.flags.glass;
      for (const b of this.bodies) b.glass(this.glass);
    }
    this.ground.show_grid(state.flags.grid);
    state.runs.forEach((run, k) => {
      const m = run.at(state.t);
      const shown = k === 0 || state.flags.ghosts;
      this.bodies[k].object.visible = shown && m !== null;
      this.marks[k].object.visible = k === 0 && m !== null;
      if (m && shown) {
        this.bodies[k].update(m);
        if (k === 0) this.marks[k].update(m, state, this.camera, this.canvas.height / this.renderer.getPixelRatio());
      }
    });
    this.draw_band();
    this.sun.position.copy(this.controls.target).add(new THREE.Vector3(-0.7, -1.25, 2.0).multiplyScalar(this.size * 1.6));
    this.sun.target.position.copy(this.controls.target);
    this.ground.centre(this.controls.target);
    this.renderer.render(this.scene, this.camera);
  }

  // ---- Dragging

  private ray(x: number, y: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2), this.camera);
    return ray;
  }

  // The body under the mouse that can be moved, and the place in it.
  grip(x: number, y: number): { body: number; grip: number[] } | null {
    const ray = this.ray(x, y);
    const hit = this.bodies[0].pick(ray);
    if (!hit || !this.state.run.head.bodies[hit.body].moves) return null;
    this.taken.copy(ray.ray.origin).addScaledVector(ray.ray.direction, hit.distance);
    const grip = this.taken.clone().applyMatrix4(this.bodies[0].pose_of(hit.body).clone().invert());
    return { body: hit.body, grip: grip.toArray() };
  }

  // Where the mouse is, as far away as the place that was taken.
  under_mouse(x: number, y: number): number[] {
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), this.taken);
    return (this.ray(x, y).ray.intersectPlane(plane, new THREE.Vector3()) ?? this.taken).toArray();
  }

  show_band(of: { body: number; grip: number[] } | null, to: number[]) {
    this.band_of = of;
    if (of) this.band_to.fromArray(to);
  }

  hold_camera(on: boolean) {
    this.controls.enabled = !on;
  }

  private draw_band() {
    this.band.visible = this.band_of !== null;
    if (!this.band_of) return;
    const from = new THREE.Vector3(...this.band_of.grip).applyMatrix4(this.bodies[0].pose_of(this.band_of.body));
    const thick = 0.008 * this.size;
    this.band.renderOrder = 12;
    this.band.position.copy(from).add(this.band_to).multiplyScalar(0.5);
    this.band.scale.set(thick, thick, Math.max(1e-9, from.distanceTo(this.band_to)));
    this.band.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.band_to.clone().sub(from).normalize());
    this.band.material.color.set(this.theme.accent);
  }

  // The picture as PNG, of a size that the window need not have.
  png(width: number, height: number): string {
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.touched) this.home();
    this.draw();
    return this.canvas.toDataURL('image/png').slice('data:image/png;base64,'.length);
  }

  // Where a body is on the screen [pixel].
  where(body: number): [number, number] {
    const at = new THREE.Vector3().setFromMatrixPosition(this.bodies[0].pose_of(body)).project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  }

  // [ms] to place all bodies, of `n` times on average: what the page itself adds to a picture.
  time_update(n: number): number {
    const begun = performance.now();
    for (let i = 0; i < n; i++) {
      const m = this.state.run.at((this.state.end * i) / n);
      if (m) this.bodies[0].update(m);
    }
    return (performance.now() - begun) / n;
  }

  get calls(): number { // draw calls of the last picture, for the tests
    return this.renderer.info.render.calls;
  }
}
