import { type Filled, isFree, select, setWhole } from './fill.js';
import { showsPicker } from './kinds.js';
import { printedName } from './normal.js';
import type { Snapshots } from './snapshots.js';
import type { Box, Point } from './types.js';
import { isSecret } from './value.js';

/** How many options of a list are read, and how many characters of a label. */
const [maxOptions, maxLabel] = [1000, 200];

/** The list of a select, in the numbers that a user sees it by; or a field with a picker. */
export interface OpenList {
  label: string;
  /** The field, in the frame's viewport. */
  box: Box;
  options: OpenOption[];
  /** How many options are left out at the end. */
  more: number;
  /** What a picker is opened with; it has no options. */
  field?: OpenField;
}

/** A field of a date, a time or a colour, as its attributes have it. */
interface OpenField {
  type: string;
  value: string;
  min: string;
  max: string;
  step: string;
}

interface OpenOption {
  /** Its number in the select. */
  index: number;
  label: string;
  group: string;
  disabled: boolean;
  selected: boolean;
}

/** Where the list that is open is: here, or in the frame that has the focus. */
export interface Opened {
  list?: OpenList;
  /** The frame, and where its viewport begins in this one. */
  frame?: { ref: string } & Point;
  /** The size of this frame's viewport. */
  size: [width: number, height: number];
}

/** The lists of selects and the pickers that the browser draws outside of the page, for a user who sees only the page. */
export class Lists {
  readonly #snapshots: Snapshots;
  #shown: { el: HTMLSelectElement | HTMLInputElement; text: string; took: boolean } | undefined;

  constructor(snapshots: Snapshots) {
    this.#snapshots = snapshots;
  }

  /** Finds the list or the picker that is open; without one, what it found before stays. One that consists of elements of the page is not meant. */
  open(): Opened {
    const { tree, refs } = this.#snapshots;
    const out: Opened = { size: [innerWidth, innerHeight] };
    const focused = tree.focused();
    const el = document.querySelector(':is(select, input):open') ?? focused;
    if (el instanceof HTMLSelectElement || el instanceof HTMLInputElement) {
      if (!el.matches(':open')) return out;
      // That of several options is drawn in the page.
      if (el instanceof HTMLSelectElement && (el.multiple || showsPicker(el, getComputedStyle(el))))
        return out;
      this.#shown = { el, text: '', took: false };
      const list = this.now();
      if (list) out.list = list;
    } else if (el instanceof HTMLIFrameElement) {
      const { left, top } = el.getBoundingClientRect();
      const { paddingLeft, paddingTop } = getComputedStyle(el);
      out.frame = {
        ref: refs.format(refs.number(el)),
        x: left + el.clientLeft + parseFloat(paddingLeft),
        y: top + el.clientTop + parseFloat(paddingTop),
      };
    }
    return out;
  }

  /** Waits at most 100 ms until the browser has closed its own drawing, and says whether it has. */
  async closed(): Promise<boolean> {
    const el = this.#shown?.el;
    for (let i = 0; i < 10 && el?.matches(':open'); i++)
      await new Promise((next) => setTimeout(next, 10));
    return !el?.matches(':open');
  }

  /** The list that open has found, as it is now; undefined when it cannot be used any more. */
  now(): OpenList | undefined {
    const list = this.#read();
    if (list && this.#shown) this.#shown.text = textOf(list);
    return list;
  }

  /**
   * Selects an option by its number, as choose does. It does nothing (`changed`) when the options
   * are not those that were returned last.
   */
  pick(index: number, press: boolean): Filled | { state: 'changed' } {
    const shown = this.#shown;
    const list = this.#read();
    if (!shown || !list) return { state: 'gone' };
    const { el } = shown;
    if (!(el instanceof HTMLSelectElement)) return { state: 'gone' };
    // The page has what the key selected, and may have selected something else since.
    if (!press && shown.took) return { state: 'ok', value: '' };
    const picked = el.options[index];
    if (textOf(list) !== shown.text || !picked || !isFree(picked)) return { state: 'changed' };
    el.addEventListener(
      'input',
      ({ isTrusted }) => {
        shown.took ||= isTrusted;
      },
      { capture: true, once: true },
    );
    return select(this.#snapshots, el, [picked], press);
  }

  /** Gives the field of the picker a value, as fill does; the one that it has gives the page no events. */
  set(value: string): Filled {
    const el = this.#shown?.el;
    if (!(el instanceof HTMLInputElement) || !this.#read()) return { state: 'gone' };
    return el.value === value ? { state: 'ok', value } : setWhole(el, value);
  }

  #read(): OpenList | undefined {
    const el = this.#shown?.el;
    if (!el?.isConnected || el.matches(':disabled') || !el.checkVisibility()) return undefined;
    const { left, top, width, height } = el.getBoundingClientRect();
    const options: OpenOption[] = [];
    let more = 0;
    for (const option of el instanceof HTMLSelectElement ? el.options : []) {
      if (options.length === maxOptions) {
        more++;
        continue;
      }
      if (getComputedStyle(option).display === 'none') continue;
      options.push({
        index: option.index,
        label: printedName(option.label.slice(0, maxLabel)),
        group: printedName((option.closest('optgroup')?.label ?? '').slice(0, maxLabel)),
        disabled: option.matches(':disabled'),
        selected: option.selected,
      });
    }
    const { name } = this.#snapshots.aria(el);
    return {
      label: printedName(name.slice(0, maxLabel)),
      box: [left, top, width, height],
      options,
      more,
      ...(el instanceof HTMLInputElement ? { field: fieldOf(el) } : {}),
    };
  }
}

function fieldOf(el: HTMLInputElement): OpenField {
  const { type, min, max } = el;
  // Without a minimum, steps count from the default value, which a picker elsewhere does not have.
  const step = min === '' && el.defaultValue !== '' ? '' : el.step;
  return { type, value: isSecret(el) ? '' : el.value, min, max, step };
}

/** What tells whether the options are the same. */
function textOf({ options }: OpenList): string {
  return JSON.stringify(
    options.map(({ index, label, group, disabled }) => [index, label, group, disabled]),
  );
}
