// The internals of xterm 6.0.0, beyond its API, that a snapshot reads and writes. The
// names are those of xterm's published source; its build keeps them. package.json
// pins the version, and snapshot.test.ts fails when one of the names is missing.

/** The colours and flags of a cell, or of the next character. */
export interface Attributes {
  fg: number;
  bg: number;
  extended: Extended;
}

/** Underline style and colour, and the link, of cells with `ATTRIBUTES_EXTENDED`. */
export interface Extended {
  /** `ext` without the bits that its getter adds for a link. */
  readonly _ext: number;
  ext: number;
  urlId: number;
  clone(): Extended;
}

/**
 * A row: three 32-bit words per cell (content, foreground, background), and maps
 * for what does not fit into them.
 */
export interface Line {
  readonly _data: Uint32Array;
  readonly _combined: Record<number, string>;
  readonly _extendedAttrs: Record<number, Extended | undefined>;
  readonly length: number;
  isWrapped: boolean;
  clone(): Line;
  resize(cols: number, fill: Cell): unknown;
}

/** A cell, as xterm passes it to its functions. */
export type Cell = object;

export type Charset = Readonly<Record<string, string>>;

export interface Marker {
  readonly line: number;
  onDispose(listener: () => void): unknown;
}

export interface Buffer {
  readonly lines: {
    length: number;
    maxLength: number;
    get(index: number): Line | undefined;
    push(line: Line): void;
  };
  ydisp: number;
  ybase: number;
  x: number;
  y: number;
  scrollTop: number;
  scrollBottom: number;
  tabs: Record<number, boolean | undefined>;
  savedX: number;
  savedY: number;
  readonly savedCurAttrData: Attributes;
  savedCharset: Charset | undefined;
  readonly markers: readonly Marker[];
  addMarker(line: number): Marker;
  clearAllMarkers(): void;
  getNullCell(): Cell;
  getBlankLine(attributes: Attributes): Line;
}

export interface Link {
  readonly id: number;
  /** Set only if the program gave the link an `id`. */
  readonly key?: string;
  readonly data: { readonly id?: string; readonly uri: string };
  readonly lines: Marker[];
}

export interface Colour {
  readonly css: string;
  readonly rgba: number;
}

export interface Colours {
  foreground: Colour;
  background: Colour;
  cursor: Colour;
  readonly ansi: Colour[];
}

export interface Core {
  readonly cols: number;
  readonly rows: number;
  readonly buffers: {
    readonly normal: Buffer;
    readonly alt: Buffer;
    readonly active: Buffer;
    activateNormalBuffer(): void;
    activateAltBuffer(): void;
  };
  readonly coreService: {
    isCursorInitialized: boolean;
    isCursorHidden: boolean;
    modes: Record<string, unknown>;
    decPrivateModes: Record<string, unknown>;
  };
  readonly coreMouseService: { activeProtocol: string; activeEncoding: string };
  readonly _bufferService: {
    isUserScrolling: boolean;
    readonly _onScroll: { fire(position: number): void };
  };
  readonly _charsetService: {
    charset: Charset | undefined;
    glevel: number;
    _charsets: (Charset | undefined)[];
  };
  readonly _inputHandler: {
    readonly _curAttrData: Attributes;
    readonly _parser: { readonly currentState: number; precedingJoinState: number };
    readonly _utf8Decoder: { readonly interim: Uint8Array };
  };
  readonly _oscLinkService: {
    _nextId: number;
    readonly _entriesWithId: Map<string, Link>;
    readonly _dataByLinkId: Map<number, Link>;
    _removeMarkerFromLink(link: Link, marker: Marker): void;
  };
  /** Missing where nothing is drawn (`@xterm/headless`). */
  readonly _themeService?: {
    readonly colors: Colours;
    readonly _restoreColors: Colours;
    modifyColors(change: (colours: Colours) => void): void;
  };
  /** Redraws rows; missing where nothing is drawn. */
  refresh?(start: number, end: number): void;
}

/** The internal emulator of an xterm Terminal. */
export function coreOf(terminal: object): Core {
  return (terminal as { _core: Core })._core;
}

/** The state of xterm's parser outside any escape sequence. */
export const PARSER_GROUND = 0;
/** The flag in a cell's background word for a cell with extended attributes. */
export const ATTRIBUTES_EXTENDED = 0x10000000;
/** The flag in a cell's content word for a cell with more than one code point. */
export const CONTENT_COMBINED = 0x200000;
/**
 * The bit at which a cell's width begins in its content word. The bits below hold
 * the code point.
 */
export const CONTENT_WIDTH_SHIFT = 22;
