// drag.ts: Ctrl-drag (or Shift-drag) pulls at a body of a live run: a rubber band from where it was taken to the mouse.
import { Picture } from './scene';
import { State } from './state';

export class Drag {
  private held: { body: number; grip: number[] } | null = null;

  constructor(readonly state: State, readonly picture: Picture) {
    const canvas = picture.canvas;
    const stage = canvas.parentElement!; // told before the camera is
    stage.addEventListener('pointerdown', (e) => {
      if (e.ctrlKey || e.shiftKey) this.take(e);
    }, { capture: true });
    stage.addEventListener('pointermove', (e) => this.pull(e));
    for (const kind of ['pointerup', 'pointercancel'] as const) stage.addEventListener(kind, () => this.drop());
  }

  private take(e: PointerEvent) {
    const hit = this.picture.grip(e.clientX, e.clientY);
    if (!hit) return;
    e.stopPropagation(); // the camera stays
    this.picture.canvas.setPointerCapture(e.pointerId);
    this.held = hit;
    this.state.body = hit.body;
    this.state.seek(this.state.end);
    this.state.play(true);
    this.picture.hold_camera(true);
    this.pull(e);
  }

  private pull(e: PointerEvent) {
    if (!this.held) return;
    const to = this.picture.under_mouse(e.clientX, e.clientY);
    this.picture.show_band(this.held, to);
    this.state.say(`drag ${this.held.body} ${[...this.held.grip, ...to].map((x) => x.toFixed(6)).join(' ')}`);
    this.state.changed();
  }

  private drop() {
    if (!this.held) return;
    this.held = null;
    this.picture.show_band(null, []);
    this.picture.hold_camera(false);
    this.state.say('drop');
    this.state.changed();
  }
}
