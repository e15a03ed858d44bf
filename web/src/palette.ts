// palette.ts: Ctrl-P: one line in which every action, body, contact, channel and event is found by name. Words may be parts of names,
// in any order; Enter does it: runs the action, selects the body, plots the channel or contact, jumps to the event.
import { element } from './words';

export interface Item {
  kind: string; // "body"
  name: string;
  hint: string; // a key, a unit, a time
  run: () => void;
}

const SHOWN = 60;

// How well a name fits what was typed, the lower the better; -1: not at all.
export function fit(name: string, typed: string): number {
  const text = name.toLowerCase();
  let sum = 0;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = text.indexOf(word);
    if (at >= 0) {
      const begins = at === 0 || !/[a-z0-9]/.test(text[at - 1]);
      sum += (begins ? 0 : 20) + (at === 0 ? 0 : 5) + 0.01 * text.length;
      continue;
    }
    let k = -1; // the letters, one after the other
    for (const letter of word) {
      k = text.indexOf(letter, k + 1);
      if (k < 0) return -1;
    }
    sum += 100 + k;
  }
  return sum;
}

export class Palette {
  readonly panel = element('dialog', 'palette');
  private input = element('input');
  private list = element('ol');
  private items: Item[] = [];
  private found: Item[] = [];
  private at = 0;

  constructor(readonly all: () => Item[]) {
    this.input.placeholder = 'an action, body, contact, channel or event';
    this.input.setAttribute('aria-label', 'find anything by name');
    this.panel.append(this.input, this.list);
    this.input.addEventListener('input', () => this.find());
    this.input.addEventListener('keydown', (e) => this.key(e));
    this.panel.addEventListener('click', (e) => {
      if (e.target === this.panel) this.panel.close();
    });
    addEventListener('keydown', (e) => {
      if ((e.ctrlKey || e.metaKey) && !e.altKey && e.key.toLowerCase() === 'p') {
        e.preventDefault();
        this.open();
      }
    });
  }

  open() {
    if (this.panel.open) return;
    this.items = this.all();
    this.input.value = '';
    this.find();
    this.panel.showModal();
    this.input.focus();
  }

  private key(e: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    e.stopPropagation();
    if (step !== undefined) {
      e.preventDefault();
      this.choose(this.at + step);
    } else if (e.key === 'Enter') this.take(this.at);
    else if (e.key === 'Escape') this.panel.close();
  }

  private find() {
    const typed = this.input.value;
    const fits = this.items.map((item) => ({ item, how: fit(`${item.kind} ${item.name}`, typed) })).filter((x) => x.how >= 0);
    if (typed.trim()) fits.sort((a, b) => a.how - b.how);
    this.found = fits.slice(0, SHOWN).map((x) => x.item);
    this.list.replaceChildren(...this.found.map((item, i) => {
      const row = element('li');
      row.append(element('span', 'kind', item.kind), element('span', 'name', item.name), element('span', 'hint', item.hint));
      row.addEventListener('click', () => this.take(i));
      return row;
    }));
    if (fits.length > SHOWN) this.list.append(element('li', 'more', `${fits.length - SHOWN} more`));
    this.choose(0);
  }

  private choose(i: number) {
    this.at = Math.max(0, Math.min(this.found.length - 1, i));
    [...this.list.children].forEach((row, k) => row.classList.toggle('on', k === this.at));
    this.list.children[this.at]?.scrollIntoView({ block: 'nearest' });
  }

  private take(i: number) {
    this.panel.close();
    this.found[i]?.run();
  }
}
