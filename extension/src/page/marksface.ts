/** The agent that works in a tab, as its indicator says. */
export interface Agent {
  /** Who it is and what it does, in words: "Claude Code works in this tab". */
  words: string;
  /** It waits for the user. */
  asks?: boolean;
}

/** Our marks as they are drawn. */
export interface Drawing {
  readonly host: HTMLElement;
  readonly root: ShadowRoot;
  /** Shows the indicator; undefined removes it. */
  agent(agent: Agent | undefined): void;
  /** The text of the highlight. */
  label(text: string): void;
  /** Where the highlight is; undefined removes it. */
  highlight(rect: DOMRect | undefined): void;
  /** The badges with their elements' places. */
  badges(all: readonly (readonly [string, DOMRect])[]): void;
  /** Lets the pointer through the indicator, or not. */
  open(on: boolean): void;
  /** Hides everything. */
  veil(on: boolean): void;
  /** Undoes what the page has changed on it. */
  dress(): void;
}

const dress =
  'all:initial!important;position:fixed!important;inset:0!important;display:block!important;' +
  'width:100%!important;height:100%!important;max-width:none!important;max-height:none!important;' +
  'margin:0!important;padding:0!important;border:0!important;overflow:visible!important;' +
  'background:none!important;z-index:2147483647!important;pointer-events:none!important';

const style = `
  .all { color-scheme: light dark; will-change: opacity; pointer-events: none; }
  .veiled { opacity: 0; }
  [hidden] { display: none !important; }
  .light {
    position: fixed; top: 0; left: 0; box-sizing: border-box; border: 2px solid #0f766e;
    background: rgb(15 118 110 / 18%);
  }
  .label {
    position: fixed; top: 0; left: 0; overflow: hidden; box-sizing: border-box;
    max-width: min(44ch, 100vw); padding: 1px 6px; border-radius: 3px; background: #0f766e;
    color: #fff; font: 12px/1.4 system-ui, sans-serif; text-overflow: ellipsis; white-space: nowrap;
  }
  .badge {
    position: fixed; top: 0; left: 0; padding: 0 3px; border: 1px solid #fff; border-radius: 3px;
    background: #b45309; color: #fff; font: 600 10px/13px system-ui, sans-serif; white-space: nowrap;
  }
  .agent {
    position: fixed; right: 12px; bottom: 12px; box-sizing: border-box; display: flex; gap: 7px;
    align-items: center; max-width: calc(100vw - 24px); padding: 4px 11px 4px 9px;
    border: 1px solid light-dark(#c5cddb, #454d5c); border-radius: 13px; pointer-events: auto;
    background: light-dark(#fff, #20242c); color: light-dark(#1a1f29, #eceff4);
    box-shadow: 0 2px 9px rgb(0 0 0 / 24%); font: 12px/1.4 system-ui, sans-serif; cursor: pointer;
  }
  .agent:hover { border-color: #2f6fde; }
  .open .agent { pointer-events: none; }
  .agent span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .agent i { flex: none; width: 8px; height: 8px; border-radius: 4px; background: #2f6fde; }
  .agent.asks i { background: #d08a00; }
  @media print { .all { display: none; } }
`;

/**
 * Draws marks that are not yet in the document. Their root is closed, so the page cannot read it.
 * `clicked` is called when the user clicks on the indicator.
 */
export function drawMarks(clicked: () => void): Drawing {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'closed' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  const all = box('all');
  const light = box('light');
  const label = box('label');
  const pill = box('agent');
  const words = document.createElement('span');
  const shown = new Map<string, HTMLElement>();
  for (const one of [light, label, pill]) one.hidden = true;
  pill.append(document.createElement('i'), words);
  pill.title = 'Open the panel';
  all.append(light, label, pill);
  root.append(all);
  // The page gets neither the click nor what comes before it.
  for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
    pill.addEventListener(type, (event) => {
      event.stopPropagation();
      if (!event.isTrusted) return;
      event.preventDefault();
      if (type === 'click') clicked();
    });
  return {
    host,
    root,
    agent: (agent) => {
      pill.hidden = agent === undefined;
      words.textContent = agent?.words ?? '';
      pill.classList.toggle('asks', agent?.asks === true);
    },
    label: (text) => {
      label.textContent = text;
    },
    highlight: (rect) => {
      light.hidden = label.hidden = rect === undefined;
      if (rect === undefined) return;
      light.style.width = `${rect.width}px`;
      light.style.height = `${rect.height}px`;
      move(light, rect.left, rect.top);
      // Above the element, or below where there is no room.
      const room = Math.max(0, innerWidth - label.offsetWidth);
      const top = rect.top >= 20 ? rect.top - 20 : Math.min(rect.bottom + 2, innerHeight - 20);
      move(label, Math.min(Math.max(0, rect.left), room), top);
    },
    badges: (wanted) => {
      const left = new Set(shown.keys());
      for (const [ref, rect] of wanted) {
        let badge = shown.get(ref);
        if (badge === undefined) {
          badge = box('badge');
          badge.textContent = ref;
          shown.set(ref, badge);
          all.append(badge);
        }
        left.delete(ref);
        move(badge, Math.max(0, rect.left - 4), Math.max(0, rect.top - 7));
      }
      for (const ref of left) {
        shown.get(ref)?.remove();
        shown.delete(ref);
      }
    },
    open: (on) => {
      all.classList.toggle('open', on);
    },
    veil: (on) => {
      all.classList.toggle('veiled', on);
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

function box(kind: string): HTMLElement {
  const el = document.createElement('div');
  el.className = kind;
  return el;
}

function move(el: HTMLElement, x: number, y: number): void {
  el.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
}
