// shots.ts: pictures without a window: `routh view --png` opens the page with #shots=TIMES&size=WxH&look=A,E,ZOOM&arrows=no in a browser that nobody sees, and
// reads the pictures, base64, out of the element `shots` of what the page has become.
import { Picture } from './scene';
import { State } from './state';

export function wanted_shots(): URLSearchParams | null {
  const hash = new URLSearchParams(location.hash.slice(1));
  return hash.has('shots') ? hash : null;
}

export async function take_shots(asked: URLSearchParams, state: State, picture: Picture) {
  const [width, height] = (asked.get('size') ?? '1280x800').split('x').map(Number);
  const look = asked.get('look')?.split(',').map(Number);
  if (look?.length === 3 && look.every(Number.isFinite)) picture.look_from(look[0], look[1], look[2]);
  if (asked.get('arrows') === 'no') state.toggle_arrows(false);
  const box = document.createElement('pre');
  box.id = 'shots';
  for (const word of (asked.get('shots') ?? '0').split(',')) {
    state.seek(Number(word));
    await picture.crowd?.complete(state.t);
    box.append(`\n${picture.png(width, height)}`);
  }
  box.append('\n');
  document.body.replaceChildren(box);
}
