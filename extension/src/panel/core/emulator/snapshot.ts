import {
  coreOf,
  PARSER_GROUND,
  type Attributes,
  type Buffer,
  type Charset,
  type Colour,
  type Core,
  type Marker,
} from './internals';
import { attributesOf, AttributeTable, rowOf, rowText, type AttributeList } from './lines';

/**
 * The prefix of a snapshot's text. Terminal output never begins with it, nor does
 * text to be written to a terminal.
 */
export const MARK = 'screen 1\n';

interface BufferState {
  readonly rows: number;
  readonly ybase: number;
  readonly x: number;
  readonly y: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly tabs: number[];
  readonly savedX: number;
  readonly savedY: number;
  readonly savedAttributes: number;
  readonly savedCharset: number;
}

/**
 * The screen that a line with a link is on. A full reset removes the line from both
 * screens but keeps the link.
 */
const enum Place {
  Normal,
  Alternate,
  Nowhere,
}

interface LinkState {
  readonly id: number;
  readonly key?: string;
  readonly data: { readonly id?: string; readonly uri: string };
  /** The lines of the link, and the screen that each is on. */
  readonly lines: [line: number, screen: Place][];
}

type Slot = number | 'foreground' | 'background' | 'cursor';

/** The state of an emulator without its rows. */
interface State {
  readonly cols: number;
  readonly rows: number;
  readonly alternate: boolean;
  readonly normal: BufferState;
  readonly alt: BufferState;
  readonly attributes: AttributeList;
  /** The attributes of the next character. */
  readonly pen: number;
  /** Decides whether the next character joins the previous one. */
  readonly join: number;
  readonly modes: Record<string, unknown>;
  readonly privateModes: Record<string, unknown>;
  readonly cursor: { readonly initialized: boolean; readonly hidden: boolean };
  readonly mouse: { readonly protocol: string; readonly encoding: string };
  /** The character sets in use, each once; null is ASCII. */
  readonly charsets: (Charset | null)[];
  readonly charset: number;
  readonly level: number;
  readonly slots: number[];
  readonly nextLink: number;
  readonly links: LinkState[];
  /** The colours that the program has changed. */
  readonly colours: [slot: Slot, css: string, rgba: number][];
}

/** The state of an emulator as text, with the emulator's size. */
export interface Snapshot {
  readonly data: string;
  readonly cols: number;
  readonly rows: number;
}

/** Whether a text is a snapshot, and not output to be written. */
export function isSnapshot(text: string): boolean {
  return text.startsWith(MARK);
}

/**
 * Resizes an emulator. The alternate screen has no scrollback. But when its buffer
 * is empty, xterm 6.0 does not lower the buffer's maximum length. The buffer would
 * then keep rows that scrolled out, as many as the screen became smaller by, so its
 * content would depend on every earlier size.
 */
export function resize(terminal: Resizable, cols: number, rows: number): void {
  terminal.resize(cols, rows);
  const { lines } = coreOf(terminal).buffers.alt;
  if (lines.length === 0) lines.maxLength = rows;
}

interface Resizable {
  resize(cols: number, rows: number): void;
}

/**
 * The whole state of an emulator, as text from which `restore` makes an equal one;
 * undefined while an escape sequence or a character is incomplete.
 */
export function take(terminal: object): Snapshot | undefined {
  const core = coreOf(terminal);
  const { _inputHandler: input, _charsetService: charsets } = core;
  if (input._parser.currentState !== PARSER_GROUND || input._utf8Decoder.interim[0] !== 0)
    return undefined;
  const { cols, rows } = core;
  const { normal, alt, active } = core.buffers;
  const table = new AttributeTable();
  const place = ({ fg, bg, extended }: Attributes): number => table.place(fg, bg, extended);
  const sets: (Charset | null)[] = [null];
  const set = (charset: Charset | undefined): number => {
    const known = sets.indexOf(charset ?? null);
    return known >= 0 ? known : sets.push(charset ?? null) - 1;
  };
  const texts = [normal, alt].flatMap((buffer) => rowTexts(buffer, cols, table));
  const state: State = {
    cols,
    rows,
    alternate: active === alt,
    normal: bufferState(normal, place, set),
    alt: bufferState(alt, place, set),
    pen: place(input._curAttrData),
    join: input._parser.precedingJoinState,
    modes: core.coreService.modes,
    privateModes: core.coreService.decPrivateModes,
    cursor: {
      initialized: core.coreService.isCursorInitialized,
      hidden: core.coreService.isCursorHidden,
    },
    mouse: {
      protocol: core.coreMouseService.activeProtocol,
      encoding: core.coreMouseService.activeEncoding,
    },
    charset: set(charsets.charset),
    level: charsets.glevel,
    slots: Array.from(charsets._charsets, set),
    charsets: sets,
    nextLink: core._oscLinkService._nextId,
    links: linkStates(core),
    colours: changedColours(terminal),
    attributes: table.list,
  };
  return { data: MARK + [JSON.stringify(state), ...texts].join('\n'), cols, rows };
}

/**
 * Gives an emulator the state of a snapshot. The emulator must have the snapshot's
 * size, and `text` must be a snapshot.
 */
export function restore(terminal: object, text: string): void {
  const core = coreOf(terminal);
  const [head = '', ...texts] = text.slice(MARK.length).split('\n');
  const state = JSON.parse(head) as State;
  const { _inputHandler: input, _charsetService: charsets, buffers } = core;
  const attributes = attributesOf(state.attributes, input._curAttrData.extended);
  const sets = state.charsets.map((one) => one ?? undefined);

  if (state.alternate) buffers.activateAltBuffer();
  else buffers.activateNormalBuffer();
  fill(buffers.normal, texts.slice(0, state.normal.rows), attributes);
  fill(buffers.alt, texts.slice(state.normal.rows), attributes);
  setBuffer(buffers.normal, state.normal, attributes, sets);
  setBuffer(buffers.alt, state.alt, attributes, sets);
  core._bufferService.isUserScrolling = false;

  setAttributes(input._curAttrData, attributes[state.pen]);
  input._parser.precedingJoinState = state.join;
  const { coreService, coreMouseService } = core;
  coreService.modes = state.modes;
  coreService.decPrivateModes = state.privateModes;
  coreService.isCursorInitialized = state.cursor.initialized;
  coreService.isCursorHidden = state.cursor.hidden;
  coreMouseService.activeProtocol = state.mouse.protocol;
  coreMouseService.activeEncoding = state.mouse.encoding;
  charsets._charsets = state.slots.map((slot) => sets[slot]);
  charsets.glevel = state.level;
  charsets.charset = sets[state.charset];
  setLinks(core, state);
  setColours(terminal, state.colours);

  core._bufferService._onScroll.fire(buffers.active.ydisp);
  core.refresh?.(0, core.rows - 1);
}

/** The colours that the terminal's program has changed. */
export function changedColours(terminal: object): State['colours'] {
  const theme = coreOf(terminal)._themeService;
  if (theme === undefined) return [];
  const { colors: now, _restoreColors: own } = theme;
  const changed: State['colours'] = [];
  const compare = (slot: Slot, colour: Colour, before: Colour | undefined): void => {
    if (colour !== before) changed.push([slot, colour.css, colour.rgba]);
  };
  compare('foreground', now.foreground, own.foreground);
  compare('background', now.background, own.background);
  compare('cursor', now.cursor, own.cursor);
  for (const [slot, colour] of now.ansi.entries()) compare(slot, colour, own.ansi[slot]);
  return changed;
}

/** Sets the colours that the program had changed, in an emulator with its theme's colours. */
export function setColours(terminal: object, colours: State['colours']): void {
  const theme = coreOf(terminal)._themeService;
  if (colours.length === 0 || theme === undefined) return;
  theme.modifyColors((now) => {
    for (const [slot, css, rgba] of colours) {
      if (typeof slot === 'number') now.ansi[slot] = { css, rgba };
      else now[slot] = { css, rgba };
    }
  });
}

function rowTexts({ lines }: Buffer, cols: number, table: AttributeTable): string[] {
  const texts: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines.get(at);
    if (line !== undefined) texts.push(rowText(line, cols, table));
  }
  return texts;
}

function fill(buffer: Buffer, texts: readonly string[], attributes: readonly Attributes[]): void {
  buffer.clearAllMarkers();
  buffer.lines.length = 0;
  const [none] = attributes;
  if (none === undefined) throw new Error('a snapshot lists no attributes');
  const blank = buffer.getBlankLine(none);
  const nothing = buffer.getNullCell();
  for (const text of texts) buffer.lines.push(rowOf(text, blank, nothing, attributes));
}

function bufferState(
  buffer: Buffer,
  place: (attributes: Attributes) => number,
  set: (charset: Charset | undefined) => number,
): BufferState {
  return {
    rows: buffer.lines.length,
    ybase: buffer.ybase,
    x: buffer.x,
    y: buffer.y,
    scrollTop: buffer.scrollTop,
    scrollBottom: buffer.scrollBottom,
    tabs: Object.entries(buffer.tabs).flatMap(([col, on]) => (on === true ? [Number(col)] : [])),
    savedX: buffer.savedX,
    savedY: buffer.savedY,
    savedAttributes: place(buffer.savedCurAttrData),
    savedCharset: set(buffer.savedCharset),
  };
}

function setBuffer(
  buffer: Buffer,
  state: BufferState,
  attributes: readonly Attributes[],
  sets: readonly (Charset | undefined)[],
): void {
  buffer.ybase = state.ybase;
  buffer.ydisp = state.ybase;
  buffer.x = state.x;
  buffer.y = state.y;
  buffer.scrollTop = state.scrollTop;
  buffer.scrollBottom = state.scrollBottom;
  buffer.tabs = Object.fromEntries(state.tabs.map((col) => [col, true]));
  buffer.savedX = state.savedX;
  buffer.savedY = state.savedY;
  setAttributes(buffer.savedCurAttrData, attributes[state.savedAttributes]);
  buffer.savedCharset = sets[state.savedCharset];
}

function setAttributes(to: Attributes, from: Attributes | undefined): void {
  if (from === undefined) throw new Error('attributes are not listed');
  to.fg = from.fg;
  to.bg = from.bg;
  to.extended = from.extended.clone();
}

function linkStates({ _oscLinkService: links, buffers }: Core): LinkState[] {
  const places = new Map<Marker, Place>([
    ...buffers.normal.markers.map((marker) => [marker, Place.Normal] as const),
    ...buffers.alt.markers.map((marker) => [marker, Place.Alternate] as const),
  ]);
  return Array.from(links._dataByLinkId.values(), ({ id, key, data, lines }) => ({
    id,
    ...(key !== undefined && { key }),
    data,
    lines: lines.map((marker) => [marker.line, places.get(marker) ?? Place.Nowhere]),
  }));
}

function setLinks({ _oscLinkService: links, buffers }: Core, state: State): void {
  links._nextId = state.nextLink;
  links._entriesWithId.clear();
  links._dataByLinkId.clear();
  for (const { lines, ...rest } of state.links) {
    const link = {
      ...rest,
      lines: lines.map(([line, place]): Marker => {
        if (place === Place.Nowhere) return { line, onDispose: () => undefined };
        return (place === Place.Alternate ? buffers.alt : buffers.normal).addMarker(line);
      }),
    };
    for (const marker of link.lines)
      marker.onDispose(() => {
        links._removeMarkerFromLink(link, marker);
      });
    if (link.key !== undefined) links._entriesWithId.set(link.key, link);
    links._dataByLinkId.set(link.id, link);
  }
}
