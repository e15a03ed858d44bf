// ground.ts: planes and heightfields, and the grid: lines of one metre (or 10, or 0.1 ...) that fade with the distance.
import * as THREE from 'three';
import { Field } from './data';
import { Run } from './run';
import { Theme } from './theme';
import { field_geometry, place_of } from './shapes';

const vertex = `
varying vec2 at;
varying vec3 world;
void main() {
  at = position.xy;
  vec4 w = modelMatrix * vec4(position, 1.0);
  world = w.xyz;
  gl_Position = projectionMatrix * viewMatrix * w;
}`;

const fragment = `
varying vec2 at;
varying vec3 world;
uniform vec3 color;
uniform vec3 centre;
uniform float cell, reach;
float lines(float size) {
  vec2 x = at / size;
  vec2 width = fwidth(x);
  vec2 d = abs(fract(x - 0.5) - 0.5) / max(width, vec2(1e-6));
  float fine = 1.0 - clamp(max(width.x, width.y) * 2.0, 0.0, 1.0);
  return (1.0 - min(min(d.x, d.y), 1.0)) * fine;
}
void main() {
  float fade = 1.0 - smoothstep(0.35 * reach, reach, distance(world, centre));
  float a = max(0.32 * lines(cell), 0.75 * lines(10.0 * cell)) * fade;
  if (a < 0.004) discard;
  gl_FragColor = vec4(color, a);
  #include <colorspace_fragment>
}`;

export class Ground {
  readonly object = new THREE.Group();
  private floors: THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial>[] = [];
  private grids: THREE.ShaderMaterial[] = [];
  private grid_objects: THREE.Object3D[] = [];
  private ink = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.35 });

  constructor(run: Run, size: number, centre: THREE.Vector3, lowest: number) {
    const reach = 40 * size;
    let any = false;
    for (const s of run.head.shapes) {
      if (s.kind === 'plane') {
        this.add_floor(new THREE.PlaneGeometry(2 * reach, 2 * reach), place_of(s), THREE.FrontSide); // from behind one sees through it
        this.add_grid(place_of(s), size, reach, centre, THREE.FrontSide);
        any = true;
      } else if (s.kind === 'heightfield') {
        const mesh = run.meshes[s.mesh ?? -1];
        if (mesh && 'height' in mesh) this.add_field(mesh as Field, place_of(s));
        any = true;
      }
    }
    if (!any) {
      this.add_grid(new THREE.Matrix4().makeTranslation(0, 0, lowest), size, reach, centre, THREE.DoubleSide);
    }
  }

  private add_floor(geometry: THREE.BufferGeometry, place: THREE.Matrix4, side: THREE.Side) {
    const material = new THREE.MeshLambertMaterial({
      side, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    });
    const floor = new THREE.Mesh(geometry, material);
    floor.matrixAutoUpdate = false;
    floor.matrix.copy(place);
    floor.receiveShadow = true;
    this.floors.push(floor);
    this.object.add(floor);
  }

  // Ground with the lines of its cells, so that one sees how it bends.
  private add_field(field: Field, place: THREE.Matrix4) {
    const geometry = field_geometry(field);
    this.add_floor(geometry, place, THREE.DoubleSide);
    const nx = field.x.length, ny = field.y.length;
    const step = Math.max(1, Math.floor(Math.max(nx, ny) / 60));
    const index: number[] = [];
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        if (i + 1 < nx && j % step === 0) index.push(j * nx + i, j * nx + i + 1);
        if (j + 1 < ny && i % step === 0) index.push(j * nx + i, (j + 1) * nx + i);
      }
    }
    const lines = new THREE.BufferGeometry();
    lines.setAttribute('position', geometry.getAttribute('position'));
    lines.setIndex(index);
    const drawn = new THREE.LineSegments(lines, this.ink);
    drawn.matrixAutoUpdate = false;
    drawn.matrix.copy(place);
    this.grid_objects.push(drawn);
    this.object.add(drawn);
  }

  private add_grid(place: THREE.Matrix4, size: number, reach: number, centre: THREE.Vector3, side: THREE.Side) {
    const cell = Math.pow(10, Math.floor(Math.log10(Math.max(size, 1e-6) * 0.45)));
    const material = new THREE.ShaderMaterial({
      vertexShader: vertex, fragmentShader: fragment, transparent: true, depthWrite: false, side,
      uniforms: { color: { value: new THREE.Color() }, cell: { value: cell }, reach: { value: 0.35 * reach }, centre: { value: centre } },
    });
    const grid = new THREE.Mesh(new THREE.PlaneGeometry(2 * reach, 2 * reach), material);
    grid.matrixAutoUpdate = false;
    grid.matrix.copy(place);
    this.grids.push(material);
    this.grid_objects.push(grid);
    this.object.add(grid);
  }

  paint(theme: Theme) {
    this.ink.color.set(theme.muted);
    for (const f of this.floors) f.material.color.set(theme.dark ? '#23282d' : '#e0ddd6');
    for (const g of this.grids) g.uniforms.color.value.set(theme.dark ? '#6a747f' : '#8f8a7f');
  }

  show_grid(on: boolean) {
    for (const g of this.grid_objects) g.visible = on;
  }

  centre(at: THREE.Vector3) {
    for (const g of this.grids) g.uniforms.centre.value.copy(at);
  }
}
