/**
 * The complete state of an emulator, as plain data to compare: every cell of both screens with its
 * attributes, the cursor, and everything that affects how the next bytes are drawn. It uses nothing
 * outside of itself, because tests run its source in a page.
 */
export function stateOf(terminal: object): Record<string, unknown> {
  // It reads internals of xterm, for which there are no types.
  /* eslint-disable */
  const core = (terminal as any)._core ?? terminal;
  const hex = (word: number): string => (word >>> 0).toString(16);
  const linkOf = (id: number): string => {
    const data = core._oscLinkService._dataByLinkId.get(id)?.data;
    return data === undefined ? '' : `${data.id ?? ''};${data.uri}`;
  };
  const extended = (it: any): string =>
    it === undefined ? '' : `${hex(it.ext)}/${it.urlId === 0 ? '' : linkOf(it.urlId)}`;
  const attributes = (it: any): string =>
    `${hex(it.fg)},${hex(it.bg)},${(it.bg & 0x10000000) === 0 ? '' : extended(it.extended)}`;
  const row = (line: any): string => {
    const cells: string[] = [];
    for (let x = 0; x < line.length; x++) {
      const [content, fg, bg] = line._data.subarray(3 * x, 3 * x + 3);
      const text =
        (content & 0x200000) === 0 ? hex(content) : `${hex(content)}${line._combined[x]}`;
      const more = (bg & 0x10000000) === 0 ? '' : extended(line._extendedAttrs[x]);
      cells.push(`${text},${hex(fg)},${hex(bg)},${more}`);
    }
    // Runs of equal cells are counted.
    const runs: string[] = [];
    let n = 1;
    for (const [x, cell] of cells.entries()) {
      if (cell === cells[x + 1]) n += 1;
      else {
        runs.push(n === 1 ? cell : `${n}*${cell}`);
        n = 1;
      }
    }
    return `${line.isWrapped ? 'wrapped ' : ''}${runs.join(' ')}`;
  };
  const charset = (set: any): string =>
    set === undefined || set === null ? '' : Object.entries(set).flat().join('');
  const buffer = (it: any): Record<string, unknown> => ({
    rows: Array.from({ length: it.lines.length }, (_, y) => row(it.lines.get(y))),
    cursor: [it.x, it.y, it.ybase, it.ydisp],
    room: it.lines.maxLength,
    region: [it.scrollTop, it.scrollBottom],
    tabs: Object.keys(it.tabs).filter((x) => it.tabs[x] === true && Number(x) < core.cols),
    saved: [it.savedX, it.savedY, attributes(it.savedCurAttrData), charset(it.savedCharset)],
  });
  const { modes, decPrivateModes, isCursorHidden } = core.coreService;
  const theme = core._themeService;
  const colours = ['foreground', 'background', 'cursor'].map((name) =>
    theme === undefined ? '' : theme.colors[name].css,
  );
  return {
    size: [core.cols, core.rows],
    screen: core.buffers.active === core.buffers.alt ? 'alternate' : 'normal',
    normal: buffer(core.buffers.normal),
    alt: buffer(core.buffers.alt),
    pen: attributes(core._inputHandler._curAttrData),
    modes: [modes, decPrivateModes].map((set) =>
      JSON.stringify(
        Object.entries(set)
          .filter(([, v]) => v !== undefined)
          .sort(),
      ),
    ),
    hidden: isCursorHidden,
    mouse: [core.coreMouseService.activeProtocol, core.coreMouseService.activeEncoding],
    charsets: [
      charset(core._charsetService.charset),
      core._charsetService.glevel,
      ...Array.from({ length: 4 }, (_, g) => charset(core._charsetService._charsets[g])),
    ],
    links: [...core._oscLinkService._dataByLinkId.values()].map(
      (link: any) => `${link.data.id ?? ''};${link.data.uri} ${link.lines.map((m: any) => m.line)}`,
    ),
    parser: core._inputHandler._parser.currentState,
    join: core._inputHandler._parser.precedingJoinState,
    colours: theme === undefined ? [] : [...colours, ...theme.colors.ansi.map((c: any) => c.css)],
  };
  /* eslint-enable */
}
