/** A part of a page, in CSS pixels from the page's own corner. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

declare global {
  var pilotfishRegion: (() => void) | undefined;
}

/**
 * Lets the user mark a region of the page: drag a rectangle, or move one with the arrow keys (with
 * Shift: its size) and press Enter. Escape cancels: null. It runs in the page's isolated world and
 * must not refer to anything outside itself. The page sees an empty element and no events.
 */
export function markRegion(): Promise<Region | null> {
  globalThis.pilotfishRegion?.();
  return new Promise((resolve) => {
    const host = document.createElement('div');
    host.style.cssText = 'all: initial; position: fixed; inset: 0; z-index: 2147483647;';
    const root = host.attachShadow({ mode: 'closed' });
    root.innerHTML =
      '<style>.shade{position:fixed;inset:0;cursor:crosshair;outline:0;background:#0002;overflow:hidden;touch-action:none}' +
      '.box{position:absolute;border:2px solid #0f766e;box-shadow:0 0 0 100vmax #0005,inset 0 0 0 1px #fff;display:none}' +
      '.size{position:absolute;left:0;top:100%;margin-top:4px;padding:1px 6px;border-radius:4px;background:#111;color:#fff;font:12px system-ui;white-space:nowrap}</style>' +
      '<div class="shade" tabindex="0" role="application" aria-label="Mark a region: drag, or arrow keys and Enter; Escape cancels"><div class="box"><span class="size"></span></div></div>';
    const shade = root.querySelector<HTMLElement>('.shade');
    const box = root.querySelector<HTMLElement>('.box');
    const size = root.querySelector<HTMLElement>('.size');
    if (shade === null || box === null || size === null) {
      resolve(null);
      return;
    }
    let from: { x: number; y: number } | undefined;
    let now = {
      x: innerWidth / 4,
      y: innerHeight / 4,
      width: innerWidth / 2,
      height: innerHeight / 2,
    };
    const draw = (): void => {
      box.style.display = 'block';
      box.style.left = `${String(now.x)}px`;
      box.style.top = `${String(now.y)}px`;
      box.style.width = `${String(now.width)}px`;
      box.style.height = `${String(now.height)}px`;
      size.textContent = `${String(Math.round(now.width))} × ${String(Math.round(now.height))}`;
    };
    const end = (region: Region | null): void => {
      removeEventListener('keydown', keys, true);
      globalThis.pilotfishRegion = undefined;
      host.remove();
      if (region === null) {
        resolve(null);
        return;
      }
      const page = { ...region, x: region.x + scrollX, y: region.y + scrollY };
      // The screenshot must not show the frame: it is gone after the next frame was drawn.
      requestAnimationFrame(() => {
        requestAnimationFrame(() => {
          resolve(page);
        });
      });
    };
    const keys = (event: KeyboardEvent): void => {
      const step = event.ctrlKey ? 1 : 10;
      const by = {
        ArrowLeft: [-step, 0],
        ArrowRight: [step, 0],
        ArrowUp: [0, -step],
        ArrowDown: [0, step],
      }[event.key];
      if (event.key === 'Escape') end(null);
      else if (event.key === 'Enter') end(now);
      else if (by !== undefined) {
        const [x = 0, y = 0] = by;
        now = event.shiftKey
          ? { ...now, width: Math.max(8, now.width + x), height: Math.max(8, now.height + y) }
          : { ...now, x: Math.max(0, now.x + x), y: Math.max(0, now.y + y) };
        draw();
      } else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const at = (event: PointerEvent): { x: number; y: number } => ({
      x: Math.min(innerWidth, Math.max(0, event.clientX)),
      y: Math.min(innerHeight, Math.max(0, event.clientY)),
    });
    shade.addEventListener('pointerdown', (event) => {
      from = at(event);
      shade.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    shade.addEventListener('pointermove', (event) => {
      if (from === undefined) return;
      const to = at(event);
      now = {
        x: Math.min(from.x, to.x),
        y: Math.min(from.y, to.y),
        width: Math.abs(to.x - from.x),
        height: Math.abs(to.y - from.y),
      };
      draw();
    });
    shade.addEventListener('pointerup', () => {
      if (from === undefined) return;
      from = undefined;
      // A click without a drag marks nothing.
      if (now.width >= 4 && now.height >= 4) end(now);
    });
    addEventListener('keydown', keys, true);
    globalThis.pilotfishRegion = () => {
      end(null);
    };
    document.documentElement.append(host);
    shade.focus();
  });
}

/** Cancels marking. It runs where markRegion runs. */
export function cancelRegion(): void {
  globalThis.pilotfishRegion?.();
}
