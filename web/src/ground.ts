// ground.ts: planes and heightfields, and the grid: lines of one metre (or 10, or 0.1 ...) that fade with the distance.
import * as THREE from 'three';
import { Field } from './data';
import { Frame } from './frame';
import { Light } from './light';
import { Run } from './run';
import { Theme } from './theme';
import { field_geometry, place_of } from './shapes';

const STEEP = 0.5; // cosine of a slope from which on a plane is a wall

export class Ground {
  readonly object = new THREE.Group();
  private planes: THREE.Vector4[]; // normal, offset
  private surfaces: THREE.ShaderMaterial[] = [];
  private field_lines: THREE.Object3D[] = [];
  private ink = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.35 });

  constructor(readonly light: Light, run: Run, frame: Frame) {
    let floor = false;
    this.planes = run.head.shapes.filter((s) => s.kind === 'plane').map((s) => {
      const n = new THREE.Vector3(s.turn[2], s.turn[5], s.turn[8]);
      return new THREE.Vector4(...n.toArray(), n.dot(new THREE.Vector3(...s.at)));
    });
    for (const s of run.head.shapes) {
      if (s.kind === 'plane') {
        this.add_plane(place_of(s), frame, true);
        floor ||= Math.abs(s.turn[8]) > STEEP;
      } else if (s.kind === 'heightfield') {
        const mesh = run.meshes[s.mesh ?? -1];
        if (mesh && 'height' in mesh) this.add_field(mesh as Field, place_of(s));
        floor = true;
      }
    }
    if (!floor) this.add_plane(new THREE.Matrix4().makeTranslation(0, 0, frame.box.min.z), frame, false);
  }

  // With a floor (from behind one sees through it), or only the lines. Walls end where nothing is that could touch them.
  private add_plane(place: THREE.Matrix4, { size, box, flat }: Frame, floor: boolean) {
    const reach = 14 * size;
    const wall = Math.abs(place.elements[10]) < STEEP;
    const low = flat ? box.min.z - 0.12 * size : box.min.z, high = flat ? box.max.z + 0.12 * size : Math.max(box.max.z, box.min.z + 0.5 * size);
    const material = this.light.material({ floor, plane: {
      cell: Math.pow(10, Math.floor(Math.log10(Math.max(size, 1e-6) * 0.45))), reach, band: wall ? [low, high] : null,
      cuts: this.cuts(place, size) } });
    Object.assign(material, { transparent: !floor, depthWrite: floor, side: floor ? THREE.FrontSide : THREE.DoubleSide });
    this.add(new THREE.PlaneGeometry(5.8 * reach, 5.8 * reach), material, place).receiveShadow = floor;
  }

  // The other planes that stand upon this one.
  private cuts(place: THREE.Matrix4, size: number): THREE.Vector4[] {
    const n = new THREE.Vector3().setFromMatrixColumn(place, 2);
    const across = this.planes.filter((p) => Math.abs(n.dot(new THREE.Vector3(p.x, p.y, p.z))) < 0.99);
    return across.map((p) => new THREE.Vector4(p.x, p.y, p.z, p.w - 1e-4 * size));
  }

  private add(geometry: THREE.BufferGeometry, material: THREE.ShaderMaterial, place: THREE.Matrix4): THREE.Mesh {
    Object.assign(material, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.matrixAutoUpdate = false;
    mesh.matrix.copy(place);
    mesh.receiveShadow = true;
    this.surfaces.push(material);
    this.object.add(mesh);
    return mesh;
  }

  // Ground with the lines of its cells, so that one sees how it bends.
  private add_field(field: Field, place: THREE.Matrix4) {
    const geometry = field_geometry(field);
    const material = this.light.material();
    material.side = THREE.DoubleSide;
    this.add(geometry, material, place);
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
    this.field_lines.push(drawn);
    this.object.add(drawn);
  }

  paint(theme: Theme) {
    this.ink.color.set(theme.muted);
    for (const m of this.surfaces) m.uniforms.color.value.set(theme.dark ? '#454e58' : '#e0ddd6');
  }

  show_grid(on: boolean) {
    for (const g of this.field_lines) g.visible = on;
    this.light.grid(on);
  }
}
