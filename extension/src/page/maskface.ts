/** What the overlay shows. */
export interface Shown {
  /** The task's title. */
  title: string;
  /** The current step. */
  step: string;
  /** A question waits for the user. The task does nothing until it is answered. */
  asks?: boolean;
}

/** The overlay as it is drawn. */
export interface Drawn {
  readonly host: HTMLElement;
  readonly root: ShadowRoot;
  say(shown: Shown): void;
  /** Lets the pointer through, or not. */
  open(on: boolean): void;
  /** Hides it. */
  veil(on: boolean): void;
  /** Shows where the agent points. */
  point(x: number, y: number): void;
  isButton(x: number, y: number): boolean;
  /** Undoes what the page has changed on it. */
  dress(): void;
}

const dress =
  'all:initial!important;position:fixed!important;inset:0!important;display:block!important;' +
  'width:100%!important;height:100%!important;max-width:none!important;max-height:none!important;' +
  'margin:0!important;padding:0!important;border:0!important;overflow:visible!important;' +
  'background:none!important;z-index:2147483647!important;pointer-events:none!important';

const style = `
  /* Not on the host: there the page's own scheme is taken away with all else. */
  /* A layer of its own: what is under the cover is not painted again when it is veiled. */
  .all { color-scheme: light dark; will-change: opacity; }
  .glass, .edge { position: fixed; inset: 0; }
  .glass { pointer-events: auto; cursor: default; touch-action: none; }
  .edge {
    pointer-events: none;
    box-shadow: inset 0 0 0 3px #2f6fde, inset 0 0 26px 2px rgb(47 111 222 / 28%);
  }
  .asks .edge { box-shadow: inset 0 0 0 3px #d08a00, inset 0 0 26px 2px rgb(208 138 0 / 28%); }
  .open .glass, .open .bar { pointer-events: none; }
  .veiled { opacity: 0; }
  .bar {
    position: fixed; bottom: 14px; left: 50%; box-sizing: border-box;
    display: flex; gap: 10px; align-items: center; max-width: calc(100vw - 28px);
    padding: 7px 8px 7px 14px; transform: translateX(-50%); pointer-events: auto;
    border: 1px solid light-dark(#c5cddb, #454d5c); border-radius: 12px;
    background: light-dark(#fff, #20242c); color: light-dark(#1a1f29, #eceff4);
    box-shadow: 0 3px 14px rgb(0 0 0 / 28%);
    font: 13px/1.35 system-ui, sans-serif; text-align: start; cursor: default;
  }
  .words { display: grid; min-width: 0; }
  .title, .step {
    overflow: hidden; max-width: min(56ch, 60vw); text-overflow: ellipsis; white-space: nowrap;
  }
  .title { font-weight: 600; }
  .step { color: light-dark(#4b5566, #b9c1cf); }
  .step:empty { display: none; }
  button {
    flex: none; min-height: 30px; padding: 3px 11px; border: 1px solid light-dark(#98a3b5, #667085);
    border-radius: 8px; background: light-dark(#f4f6fa, #2c323d); color: inherit; font: inherit;
    font-weight: 500; cursor: pointer;
  }
  button:hover { border-color: #2f6fde; }
  kbd { margin-inline-start: 5px; color: light-dark(#4b5566, #b9c1cf); font: inherit; font-size: 11px; }
  .pointer {
    position: fixed; top: 0; left: 0; width: 22px; height: 26px; pointer-events: none;
    filter: drop-shadow(0 1px 2px rgb(0 0 0 / 45%)); transition: transform 120ms ease-out;
  }
  .pointer[hidden] { display: none; }
  .bar { transition: none; }
  @media (prefers-reduced-motion: reduce) { .pointer { transition: none; } }
  @media (max-width: 420px) {
    .bar { right: 10px; left: 10px; max-width: none; transform: none; }
    .words { flex: 1; }
    .title, .step { max-width: none; }
    kbd { display: none; }
  }
  @media print { .all { display: none; } }
`;

/**
 * Draws an overlay that is not yet in the document. Its root is closed, so the page cannot read it.
 */
export function draw(): Drawn {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'closed' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  const all = element('div', 'all');
  const glass = element('div', 'glass');
  const edge = element('div', 'edge');
  const bar = element('div', 'bar');
  const words = element('div', 'words');
  const title = element('span', 'title');
  const step = element('span', 'step');
  const button = element('button', '');
  const key = element('kbd', '');
  const pointer = arrow();
  button.setAttribute('type', 'button');
  key.textContent = 'Esc';
  button.append('Pause', key);
  words.append(title, step);
  bar.append(words, button);
  all.append(glass, edge, pointer, bar);
  root.append(all);
  return {
    host,
    root,
    say: (shown) => {
      title.textContent = shown.title;
      step.textContent = shown.step;
      all.classList.toggle('asks', shown.asks === true);
    },
    open: (on) => {
      all.classList.toggle('open', on);
    },
    veil: (on) => {
      all.classList.toggle('veiled', on);
    },
    point: (x, y) => {
      pointer.removeAttribute('hidden');
      // The tip of the pointer is at 2,2 of the drawing.
      pointer.style.transform = `translate(${x - 2}px, ${y - 2}px)`;
      // The overlay keeps a hole at this point after the action, so that the page still sees the
      // pointer there. Otherwise a menu that opened on hover would close.
      const [l, t, r, b] = [x - 1, y - 1, x + 1, y + 1].map((at) => `${at}px`);
      glass.style.clipPath = `polygon(evenodd, 0 0, 100% 0, 100% 100%, 0 100%, 0 0, ${l} ${t}, ${r} ${t}, ${r} ${b}, ${l} ${b}, ${l} ${t})`;
    },
    isButton: (x, y) => {
      const at = root.elementFromPoint(x, y);
      return at === button || at === key;
    },
    dress: () => {
      for (const { name } of [...host.attributes])
        if (name !== 'style' && name !== 'popover') host.removeAttribute(name);
      if (host.getAttribute('popover') !== 'manual') host.setAttribute('popover', 'manual');
      host.style.cssText = dress;
      host.replaceChildren();
    },
  };
}

function element(name: string, kind: string): HTMLElement {
  const el = document.createElement(name);
  if (kind !== '') el.className = kind;
  return el;
}

function arrow(): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('class', 'pointer');
  svg.setAttribute('viewBox', '0 0 22 26');
  svg.setAttribute('hidden', '');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', 'M2 2 L2 21 L7 16.5 L10.3 24 L13.6 22.5 L10.3 15.3 L17 15 Z');
  path.setAttribute('fill', '#2f6fde');
  path.setAttribute('stroke', '#fff');
  path.setAttribute('stroke-width', '1.6');
  path.setAttribute('stroke-linejoin', 'round');
  svg.append(path);
  return svg;
}
