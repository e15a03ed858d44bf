// keys.ts: what the keys do, and the help that shows them. The same keys as in MuJoCo's simulate where it has them.
import { element } from './words';

export interface Action {
  keys: string[]; // as KeyboardEvent.key has them; "Shift+ArrowRight"
  shown: string;
  text: string;
  run: () => void;
}

export function listen(actions: Action[]) {
  const by_key = new Map<string, Action>();
  for (const a of actions) for (const k of a.keys) by_key.set(k, a);
  addEventListener('keydown', (e) => {
    if ((e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement) && e.key !== 'Escape') return;
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    const action = by_key.get(e.shiftKey && e.key.length > 1 ? `Shift+${key}` : key);
    if (!action) return;
    e.preventDefault();
    if (e.target instanceof HTMLElement) e.target.blur();
    action.run();
  });
}

export class Help {
  readonly panel = element('dialog', 'help');

  private table = element('dl');

  constructor(actions: Action[]) {
    const { table } = this;
    this.add(actions);
    const mouse: [string, string][] = [
      ['drag', 'turn the picture; the right button moves it, the wheel zooms'],
      ['double click', 'select a body; on an event of the timeline: zoom into it'],
      ['wheel on the timeline', 'zoom time, from seconds into one impact'],
      ['right click, long press', 'on a body, contact or value: plot it'],
      ['CSV, SVG', 'at the head of a panel: its numbers, its drawing, as a file'],
    ];
    for (const [k, t] of mouse) table.append(element('dt', '', k), element('dd', '', t));
    const marks = element('p', 'marks');
    marks.innerHTML = '<b>Contacts</b> <i class="stick"></i> sticks <i class="slip"></i> slips <i class="idle"></i> touches without load. ' +
      'Smooth arrows are forces [N]; beaded arrows with a double head are impulses [N s]. ' +
      'Of a hand: the ring is its grip, with the force of the hand (blue) and the force on the hand (orange).';
    this.panel.append(element('h2', '', 'Keys'), table, marks);
    this.panel.addEventListener('click', () => this.panel.close());
  }

  add(actions: Action[]) {
    for (const a of actions) this.table.append(element('dt', '', a.shown), element('dd', '', a.text));
  }

  toggle() {
    if (this.panel.open) this.panel.close();
    else this.panel.showModal();
  }
}
