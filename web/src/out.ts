// out.ts: plots as files: the numbers as CSV, the drawing as SVG.
import { element } from './words';

export interface Source { // something that can be written down
  name: string; // "energy"; also of the file
  shown: () => boolean; // there is something
  csv: () => string;
  svg: () => string[]; // one for each drawing
}

const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

// Columns of equal length. A number is written so that reading it gives the same again.
export function csv_of(names: string[], columns: ArrayLike<number | null>[]): string {
  const lines = [names.map(quoted).join(',')];
  for (let i = 0; i < (columns[0]?.length ?? 0); i++) lines.push(columns.map((c) => c[i] ?? '').join(','));
  return `${lines.join('\n')}\n`;
}

function download(name: string, type: string, text: string) {
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function write_csv(run: string, source: Source) {
  download(`${run}-${source.name}.csv`, 'text/csv', source.csv());
}

export function write_svg(run: string, source: Source) {
  source.svg().forEach((text, i) => download(`${run}-${source.name}${i > 0 ? `-${i + 1}` : ''}.svg`, 'image/svg+xml', text));
}

// Two small buttons for the head of a panel.
export function out_buttons(run: string, source: Source): HTMLElement {
  const box = element('span', 'savers');
  for (const [word, write] of [['CSV', write_csv], ['SVG', write_svg]] as const) {
    const b = element('button', '', word);
    b.title = `${source.name} as ${word}`;
    b.addEventListener('click', () => {
      write(run, source);
      b.blur();
    });
    box.append(b);
  }
  return box;
}
