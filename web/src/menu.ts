// menu.ts: the right button (on a phone: a long press) on a body, a contact or a value offers to plot it. Elements say what they are in
// data-plot (channels, with spaces between) or data-contact; what is in the picture is found where it is drawn.
import { Run, contact_channels } from './run';
import { element } from './words';

export interface Offer {
  text: string;
  run: () => void;
}

const LONG = 550; // [ms]
const STILL = 6; // [pixel] that a finger may move meanwhile

export class Menu {
  readonly panel = element('div', 'menu');

  // `picture`: what is offered at a place of it.
  constructor(readonly run: Run, readonly plot: (name: string) => void, readonly picture: (x: number, y: number) => Offer[]) {
    this.panel.hidden = true;
    this.panel.setAttribute('role', 'menu');
    document.body.append(this.panel);
    addEventListener('contextmenu', (e) => {
      if (e.target instanceof HTMLInputElement) return;
      if (e.target instanceof Element && e.target.closest('.picture')) e.preventDefault(); // its right button moves the camera
      else if (this.open(e.target, e.clientX, e.clientY)) e.preventDefault();
    });
    addEventListener('pointerdown', (e) => this.down(e), { capture: true });
    addEventListener('keydown', (e) => {
      if (e.key === 'Escape') this.panel.hidden = true;
    });
  }

  private down(first: PointerEvent) {
    if (first.target instanceof Node && this.panel.contains(first.target)) return;
    this.panel.hidden = true;
    const finger = first.pointerType === 'touch';
    const in_picture = first.target instanceof Element && first.target.closest('.picture') !== null;
    if (!finger && !(first.button === 2 && in_picture)) return;
    const near = (e: PointerEvent) => Math.hypot(e.clientX - first.clientX, e.clientY - first.clientY) < STILL;
    const show = () => this.open(first.target, first.clientX, first.clientY);
    let timer = finger ? setTimeout(show, LONG) : 0;
    const move = (e: PointerEvent) => {
      if (!near(e)) clearTimeout(timer);
    };
    const up = (e: PointerEvent) => {
      clearTimeout(timer);
      timer = 0;
      removeEventListener('pointermove', move, { capture: true });
      removeEventListener('pointerup', up, { capture: true });
      if (!finger && near(e)) show();
    };
    addEventListener('pointermove', move, { capture: true });
    addEventListener('pointerup', up, { capture: true });
  }

  private offers(target: EventTarget | null, x: number, y: number): Offer[] {
    if (!(target instanceof Element)) return [];
    if (target.closest('.picture')) return this.picture(x, y);
    const marked = target.closest<HTMLElement>('[data-plot], [data-contact]');
    const names = marked?.dataset.plot?.split(' ') ?? contact_channels(this.run, marked?.dataset.contact ?? '');
    return this.plots(names.filter(Boolean));
  }

  plots(names: string[]): Offer[] {
    return names.map((name) => ({ text: `plot ${name}`, run: () => this.plot(name) }));
  }

  private open(target: EventTarget | null, x: number, y: number): boolean {
    const offers = this.offers(target, x, y);
    if (offers.length === 0) return false;
    this.panel.replaceChildren(...offers.map((offer) => {
      const b = element('button', '', offer.text);
      b.setAttribute('role', 'menuitem');
      b.addEventListener('click', () => {
        this.panel.hidden = true;
        offer.run();
      });
      return b;
    }));
    this.panel.hidden = false;
    const { width, height } = this.panel.getBoundingClientRect();
    this.panel.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
    this.panel.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`;
    return true;
  }
}
