// scene.ts: the picture: light, camera, bodies, ground, marks. z is up, as in the scenes.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Crowd } from './crowd';
import { Frames } from './data';
import { Devices } from './devices';
import { Frame, Outline, box_points, frame_of, simpler, stand_back } from './frame';
import { Ground } from './ground';
import { Light, TO_SUN } from './light';
import { ARROWS, Marks } from './marks';
import { Bodies } from './shapes';
import { State } from './state';
import { Theme } from './theme';
import { Touch } from './touch';

const SLOW = 0.055; // [s] a picture: from here on it is made simpler
const BENDS = 0.35; // [s] how long the camera takes to a new place

declare const routh_canvas: HTMLCanvasElement | undefined, routh_gl: WebGL2RenderingContext | null | undefined;

// What index.html has begun with.
function early_graphics(): THREE.WebGLRendererParameters {
  if (typeof routh_gl === 'undefined' || !routh_gl) return { antialias: true };
  return { canvas: routh_canvas, context: routh_gl };
}

// Without a graphics card everything is drawn by the processor.
function drawn_in_software(gl: WebGLRenderingContext | WebGL2RenderingContext): boolean {
  const names = gl.getExtension('WEBGL_debug_renderer_info');
  return names !== null && /swiftshader|llvmpipe|softpipe|software/i.test(String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)));
}

export class Picture {
  readonly canvas: HTMLCanvasElement;
  private renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private camera = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
  private controls: OrbitControls;
  private sun = new THREE.DirectionalLight(); // for its shadow
  private light = new Light();
  private bodies: Bodies[] = [];
  private marks: Marks[] = [];
  private devices!: Devices;
  private touch: Touch | null = null;
  readonly crowd: Crowd | null = null;
  private ground: Ground;
  private frame!: Frame;
  private outlines: Outline[] = []; // of the bodies
  private size = 1; // [m] of what is looked at
  private span = 1; // [m] height of the picture at what is looked at, from home
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
  private visuals = true;
  private dressed = false; // with shadows
  private measured: Frames | null = null; // frames that the size was taken from
  private sized = false;
  private sized_for = '';
  private away: THREE.Vector3 | null = null; // of home, where it was chosen
  private nearer = 1;
  private painted_body = -1; // the selected one, as the colours have it
  private touched = false; // the user has moved the camera
  private theme!: Theme;
  private moving: { from: THREE.Vector3; to: THREE.Vector3; far: number; near: number; begun: number } | null = null;

  constructor(readonly state: State, parent: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer(early_graphics());
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
    this.controls.addEventListener('start', () => {
      this.touched = true;
      this.moving = null;
    });
    for (const run of state.runs) {
      const bodies = new Bodies(run, this.light, run.index > 0);
      this.bodies.push(bodies);
      this.scene.add(bodies.object);
    }
    this.measure();
    this.measured = state.run.frames;
    this.ground = new Ground(this.light, state.run, this.frame);
    this.scene.add(this.ground.object, this.sun, this.sun.target, this.band);
    for (const run of state.runs) {
      const marks = new Marks(run);
      this.marks.push(marks);
      this.scene.add(marks.object);
    }
    this.devices = new Devices(state.run);
    this.scene.add(this.devices.object);
    if (state.run.head.crowd) {
      this.crowd = new Crowd(state.run, this.light, () => state.changed());
      this.scene.add(this.crowd.object);
    }
    if (state.run.head.haptic) {
      this.touch = new Touch(state.run);
      this.scene.add(this.touch.object);
    }
    this.add_light();
    this.home();
    this.canvas.addEventListener('dblclick', (e) => this.pick(e));
    new ResizeObserver(() => this.resize(parent)).observe(parent);
    this.resize(parent);
  }

  // Where things are, over the whole run.
  private measure() {
    const roamed = this.frame?.roams;
    const { bodies, fixed } = this.bodies[0].outlines();
    this.outlines = simpler(bodies);
    this.frame = frame_of(this.state.run, this.outlines, fixed);
    this.size = this.frame.size;
    if (this.frame.roams && !roamed) this.state.flags.follow = true;
  }

  // The middle of what moves now; null: nothing does.
  private middle_now(): THREE.Vector3 | null {
    const m = this.state.run.at(this.state.t);
    if (!m) return null;
    this.bodies[0].update(m);
    const box = new THREE.Box3().setFromPoints(this.bodies[0].points_now(this.outlines));
    return box.isEmpty() ? null : box.getCenter(new THREE.Vector3());
  }

  // What home shows: the whole run; of one that goes farther than the picture is wide, what moves now.
  private home_points(middle: THREE.Vector3 | null): THREE.Vector3[] {
    if (!middle) return this.frame.points;
    const at = middle.clone();
    if (this.frame.level) at.z = (this.frame.box.min.z + this.frame.box.max.z) / 2;
    return box_points(new THREE.Box3().setFromCenterAndSize(at, this.frame.extent));
  }

  private add_light() {
    const s = this.size * 3;
    this.sun.castShadow = this.dressed && this.ease_level < 2;
    this.sun.shadow.mapSize.setScalar(this.ease_level < 1 ? 2048 : 512);
    Object.assign(this.sun.shadow.camera, { left: -s, right: s, top: s, bottom: -s, near: 0.1 * s, far: 8 * s });
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.001 * this.size;
    this.sun.shadow.radius = 5;
  }

  // Shadows, once the first picture is there: their shaders are compiled while it is shown. Without a graphics card they take longer than all the rest.
  async dress() {
    if (drawn_in_software(this.renderer.getContext())) {
      this.ease_level = 2;
      return;
    }
    this.dressed = true;
    this.add_light();
    if (this.renderer.extensions.has('KHR_parallel_shader_compile')) await this.renderer.compileAsync(this.scene, this.camera);
    this.state.changed();
  }

  // Home is to be in a direction (azimuth from x towards y and elevation [degree]), and so many times nearer.
  look_from(azimuth: number, elevation: number, nearer: number) {
    const a = (azimuth * Math.PI) / 180, e = (elevation * Math.PI) / 180;
    this.away = new THREE.Vector3(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e));
    this.nearer = nearer;
    this.home();
  }

  home() { // what moves and what stands near it, from the front and a little above
    const away = this.away ?? (this.frame.flat ? new THREE.Vector3(0.16, -0.5, 1) : new THREE.Vector3(0.55, -1, 0.42)).normalize();
    const middle = this.frame.roams ? this.middle_now() : null;
    const { target, far } = stand_back(this.camera, this.home_points(middle), this.frame.around, away);
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(away, far / this.nearer);
    this.span = 2 * far * Math.tan((this.camera.fov * Math.PI) / 360);
    for (const m of this.marks) m.span = this.span;
    this.following = this.frame.roams ? 0 : -1; // all that moves is in the middle
    this.followed.copy(middle ?? target);
    this.camera.near = this.size / 200;
    this.camera.far = this.size * 400;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.state.changed();
  }

  // Home, and the camera follows again where it has to.
  go_home() {
    this.moving = null; // a movement under way would take the camera away again
    this.touched = false;
    this.state.flags.follow = this.frame.roams;
    this.home();
  }

  private resize(parent: HTMLElement) {
    const w = Math.max(1, parent.clientWidth), h = Math.max(1, parent.clientHeight);
    const key = `${w} ${h} ${this.renderer.getPixelRatio()}`;
    if (key === this.sized_for) return; // else all would be drawn twice at the start
    this.sized_for = key;
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    if (!this.touched) this.home();
    this.state.changed();
  }

  private pick(e: MouseEvent) {
    this.state.body = this.body_at(e.clientX, e.clientY);
    this.state.changed();
  }

  body_at(x: number, y: number): number { // -1: none
    return this.bodies[0].pick(this.ray(x, y))?.body ?? -1;
  }

  // The name of the contact whose point is drawn there.
  contact_at(x: number, y: number): string | null {
    const { run, t } = this.state;
    const m = run.at(t);
    let found: string | null = null, least = 12; // [pixel]
    if (!m || !this.state.flags.points) return null;
    run.points(m, (o, p) => {
      const at = this.on_screen(new THREE.Vector3(p[o], p[o + 1], p[o + 2]));
      const far = Math.hypot(at[0] - x, at[1] - y);
      if (far < least) [found, least] = [run.head.contacts[p[o + 10]]?.name ?? null, far];
    });
    return found;
  }

  private on_screen(point: THREE.Vector3): [number, number] {
    const at = point.project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  }

  // Brings a place into the middle, and near.
  look_at(at: number[]) {
    const far = this.camera.position.distanceTo(this.controls.target);
    const near = Math.min(far, 9 * Math.max(...this.bodies[0].reach().map((r, k) => (this.state.run.head.bodies[k].moves ? r : 0)), this.size / 20));
    this.touched = true;
    this.moving = { from: this.controls.target.clone(), to: new THREE.Vector3(...at), far, near, begun: performance.now() };
    this.state.changed();
  }

  paint(theme: Theme) {
    this.theme = theme;
    this.scene.background = new THREE.Color(theme.paper);
    this.light.paint(theme);
    this.light.reach(14 * this.size);
    this.painted_body = this.state.body;
    for (const b of this.bodies) b.paint(theme, this.state.body);
    for (const m of this.marks) m.paint(theme);
    this.devices.paint(theme);
    this.ground.paint(theme);
    this.touch?.paint(theme);
    this.crowd?.paint(theme);
    this.state.changed();
  }

  // The camera goes with the selected body, else with all that moves.
  private follow() {
    const chosen = this.state.body > 0 ? this.state.body : 0;
    const m = this.state.run.at(this.state.t);
    const at = chosen > 0 && m ? new THREE.Vector3(...this.state.run.position(m, chosen)) : this.middle_now();
    if (!at) return;
    if (this.frame.level) at.setZ(this.controls.target.z);
    if (this.following !== chosen) this.followed.copy(this.controls.target); // it comes into the middle
    this.following = chosen;
    if (this.frame.level) this.followed.setZ(at.z);
    at.sub(this.followed);
    this.controls.target.add(at);
    this.camera.position.add(at);
    this.followed.add(at);
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
    this.measure();
    this.resize_world();
    if (!this.touched) this.home();
  }

  private resize_world() {
    this.scene.remove(this.ground.object);
    this.ground = new Ground(this.light, this.state.run, this.frame);
    this.scene.add(this.ground.object);
    this.add_light();
    this.paint(this.theme);
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
    if (state.flags.visuals !== this.visuals) {
      this.visuals = state.flags.visuals;
      for (const b of this.bodies) b.show(this.visuals);
    }
    this.ground.show_grid(state.flags.grid);
    state.runs.forEach((run, k) => {
      const m = run.at(state.t);
      const shown = k === 0 || state.flags.ghosts;
      this.bodies[k].object.visible = shown && m !== null;
      this.marks[k].object.visible = k === 0 && m !== null;
      if (k === 0) this.devices.object.visible = m !== null;
      if (m && shown) {
        this.bodies[k].update(m);
        this.bodies[k].detail(this.camera.position, this.canvas.height / (2 * Math.tan((this.camera.fov * Math.PI) / 360)), this.ease_level);
        if (k === 0) this.marks[k].update(m, state, this.camera, this.canvas.height / this.renderer.getPixelRatio());
        if (k === 0) this.devices.update(m, (b) => this.bodies[0].pose_of(b), this.marks[0], state.flags.devices);
      }
    });
    this.draw_crowd();
    this.draw_touch();
    this.draw_band();
    this.sun.position.copy(this.controls.target).addScaledVector(TO_SUN, this.size * 1.6);
    this.sun.target.position.copy(this.controls.target);
    this.light.centre(this.controls.target);
    this.renderer.render(this.scene, this.camera);
  }

  private draw_crowd() {
    if (!this.crowd) return;
    this.camera.updateMatrixWorld();
    this.crowd.update(this.state.t, this.state.playing, this.camera, this.canvas.height / (2 * Math.tan((this.camera.fov * Math.PI) / 360)));
  }

  private draw_touch() {
    const m = this.state.run.at(this.state.t);
    if (!this.touch) return;
    this.touch.object.visible = m !== null && this.state.flags.forces;
    if (m) this.touch.update(m, this.state.t, ARROWS * this.span, this.camera);
  }

  // ---- A sandbox

  attach(object: THREE.Object3D) {
    this.scene.add(object);
  }

  // Looks at a place of a size, whatever the bodies do.
  stand(centre: number[], size: number) {
    const extent = new THREE.Vector3(size, size, size);
    const box = new THREE.Box3().setFromCenterAndSize(new THREE.Vector3(...centre), extent);
    this.frame = { box, size, extent, roams: false, level: true, flat: false, points: box_points(box), around: [] };
    this.size = size;
    this.sized = true;
    this.measured = this.state.run.frames;
    this.state.flags.follow = false;
    this.resize_world();
    this.home();
  }

  // The run has other bodies.
  renew() {
    const [bodies, marks] = [this.bodies[0], this.marks[0]];
    this.scene.remove(bodies.object, marks.object, this.devices.object);
    this.devices = new Devices(this.state.run);
    this.scene.add(this.devices.object);
    bodies.dispose();
    this.bodies[0] = new Bodies(this.state.run, this.light, false);
    this.marks[0] = new Marks(this.state.run);
    this.marks[0].span = this.span;
    this.scene.add(this.bodies[0].object, this.marks[0].object);
    if (this.glass) this.bodies[0].glass(true);
    this.measured = this.state.run.frames;
    this.paint(this.theme);
  }

  // The place under the mouse: on a body, or on the ground z = 0.
  ground_under(x: number, y: number): THREE.Vector3 | null {
    const { ray } = this.ray(x, y);
    const hit = this.bodies[0].pick(this.ray(x, y));
    const at = new THREE.Vector3();
    if (hit) return at.copy(ray.origin).addScaledVector(ray.direction, hit.distance);
    const on = ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 0, 1), 0), at);
    return on && on.distanceTo(this.controls.target) < 20 * this.size ? on : null;
  }

  // Where the mouse is, as far away as `through`.
  across(x: number, y: number, through: THREE.Vector3): THREE.Vector3 {
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), through);
    return this.ray(x, y).ray.intersectPlane(plane, new THREE.Vector3()) ?? through.clone();
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
    return this.across(x, y, this.taken).toArray();
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
    this.dressed = true;
    this.ease_level = 0;
    this.add_light();
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.touched) this.home();
    this.draw();
    return this.canvas.toDataURL('image/png').slice('data:image/png;base64,'.length);
  }

  // What moves, as a share of the picture: left, right, low, high, from -1 to 1, over so many moments of the run; each as the camera
  // that stands at home and follows sees it. For the tests.
  bounds(moments: number): number[] {
    const all = new THREE.Box3();
    this.state.seek(0);
    this.go_home();
    for (let i = 0; i < moments; i++) {
      this.state.seek((this.state.end * i) / Math.max(1, moments - 1));
      const m = this.state.run.at(this.state.t);
      if (m) this.bodies[0].update(m);
      if (this.state.flags.follow) this.follow();
      this.camera.updateMatrixWorld();
      for (const p of this.bodies[0].points_now(this.outlines)) all.expandByPoint(p.project(this.camera));
    }
    return [all.min.x, all.max.x, all.min.y, all.max.y];
  }

  get arrow(): number { // [1] length of the longest arrow of forces and impulses, of the height of the picture from home
    return this.marks[0].longest / this.span;
  }

  // Where a body is on the screen [pixel].
  where(body: number): [number, number] {
    return this.on_screen(new THREE.Vector3().setFromMatrixPosition(this.bodies[0].pose_of(body)));
  }

  on_screen_at(at: [number, number, number]): [number, number] {
    return this.on_screen(new THREE.Vector3(...at));
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

  get looks(): { mesh: number; level: number; triangles: number }[] { // visual meshes as they are drawn, for the tests
    return this.bodies[0].levels();
  }

  get calls(): number { // draw calls of the last picture, for the tests
    return this.renderer.info.render.calls;
  }
}
