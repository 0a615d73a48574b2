// The output of programs in a terminal, by kind: the streams of the differential tests. Each leaves
// a different state in the emulator.

export interface Case {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const ESC = '\x1b';
const CSI = '\x1b[';
const OSC = '\x1b]';
const ST = '\x1b\\';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const lines = (n: number, line: (i: number) => string): string => count(n).map(line).join('\r\n');

/** Pseudo-random numbers, the same each time for a seed. */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

const sgr: Record<string, string> = {
  'sixteen colours': lines(
    16,
    (i) =>
      `${CSI}${String(i < 8 ? 30 + i : 82 + i)}mink ${String(i)}${CSI}${String(i < 8 ? 40 + i : 92 + i)}m ground${CSI}m`,
  ),
  '256 colours': lines(16, (r) =>
    count(16)
      .map((c) => `${CSI}38;5;${String(r * 16 + c)};48;5;${String(255 - r * 16 - c)}m#`)
      .join(''),
  ),
  'true colours': lines(20, (r) =>
    count(30)
      .map(
        (c) =>
          `${CSI}38;2;${String(r * 12)};${String(c * 8)};9m${CSI}48:2::${String(c)}:2:${String(r)}mx`,
      )
      .join(''),
  ),
  'every flag': [1, 2, 3, 4, 5, 7, 8, 9, 21, 53]
    .map((n) => `${CSI}${String(n)}mflag ${String(n)}${CSI}0m plain`)
    .join('\r\n'),
  'flags that end': `${CSI}1;2;3;4;5;7;8;9;53mall${CSI}22mbold${CSI}23mitalic${CSI}24munder${CSI}25mblink${CSI}27minv${CSI}28mhid${CSI}29mstrike${CSI}55mover`,
  'underline styles': [1, 2, 3, 4, 5]
    .map(
      (n) =>
        `${CSI}4:${String(n)}mstyle ${String(n)}${CSI}58;5;${String(n * 9)}m coloured${CSI}58:2::1:${String(n)}:3m rgb${CSI}59m own${CSI}4:0m none`,
    )
    .join('\r\n'),
  'underline that goes on': `a${CSI}4:3;58:2::200:10:10mcurly and red`,
  'attributes that go on': `${CSI}1;3;38;5;202;48;2;1;2;3mopen`,
  'inverse line': `${CSI}7m${' '.repeat(80)}${CSI}m\r\nnext`,
};

const letters: Record<string, string> = {
  'wide letters': lines(10, (i) => `漢字かな交じり文 ${String(i)} 한국어 中文`),
  'wide letters at the margin': '漢'.repeat(95),
  'a wide letter that does not fit': `${'a'.repeat(79)}漢字`,
  'half of a wide letter overwritten': `漢字漢字${CSI}1;2Hx${CSI}1;5Hy`,
  'combining marks': lines(5, () => 'e\u0301a\u0308\u0323o\u0302\u0301 Z\u0351\u036b\u0343a\u0328'),
  'a mark that follows later': `abc${CSI}31m${CSI}0m\u0301${'x'.repeat(5)}e`,
  emoji: '👍 👩‍👩‍👧‍👦 🇩🇪 🏳️‍🌈 ✅ ⚠️ 1️⃣\r\n🧑🏽‍💻😀',
  'letters whose second byte is 0x80': '… — • “a” ‘b’ – † ‰ ‹›\r\n'.repeat(12),
  'box drawing': '┌──────┐\r\n│ box  │\r\n└──────┘',
  'right to left': 'שלום עולם مرحبا بالعالم',
  'no-break and zero width': 'a\u00a0b\u200bc\u200dd\ufeffe\u2060f',
  noncharacters: 'a\ufdd0b\ufdd1c\ufdd2d\uffffe\x7ff',
  'private use': '\ue0b0 \ue0a0 \uf07c \u{f0001}',
  repeat: `x${CSI}20b\r\n漢${CSI}5by`,
};

const erase: Record<string, string> = {
  'erase in line': lines(
    6,
    (i) => `${'w'.repeat(60)}${CSI}30G${CSI}4${String(i + 1)}m${CSI}${String(i % 3)}K`,
  ),
  'erase in screen': `${lines(20, (i) => `line ${String(i)}`)}${CSI}8;4H${CSI}44m${CSI}J${CSI}3;5H${CSI}1J`,
  'erase characters': `${'abcdefgh'.repeat(8)}${CSI}10G${CSI}42m${CSI}7X`,
  'erase scrollback': `${lines(80, (i) => `old ${String(i)}`)}${CSI}3J\r\nnew`,
  'clear with a background': `${CSI}48;5;52m${CSI}2J${CSI}Htext`,
  'background of cleared rows': `${lines(30, (i) => `row ${String(i)}`)}${CSI}45m${CSI}2J`,
  'scroll with a background': `${CSI}41m${lines(40, (i) => `red ${String(i)}`)}\r\n`,
  'partly erased wrapped line': `${'wrap'.repeat(45)}${CSI}A${CSI}20G${CSI}K`,
  'end of a wrapped line erased': `${'0123456789'.repeat(18)}${CSI}2A${CSI}80G${CSI}K${CSI}3B`,
  'wrapped line behind an erased one': `${'z'.repeat(200)}${CSI}1;1H${CSI}2K${CSI}5;1H`,
  'protected cells': `${CSI}1"qkept${CSI}0"qlost${CSI}?2K`,
  'insert and delete characters': `abcdefghij${CSI}4G${CSI}43m${CSI}3@${CSI}12G${CSI}2P`,
  'insert and delete lines': `${lines(15, (i) => `l${String(i)}`)}${CSI}5;1H${CSI}46m${CSI}3L${CSI}10;1H${CSI}2M`,
  'insert and delete columns': `${lines(6, () => 'abcdefghijkl')}${CSI}2;4H${CSI}2'}${CSI}4;2H${CSI}3'~`,
  'scroll left and right': `${lines(6, () => 'abcdefghijkl')}${CSI}2 @${CSI}1 A`,
  'insert mode': `world${CSI}1G${CSI}4hhello `,
  'no wrap': `${CSI}?7l${'long'.repeat(40)}`,
  'reverse wrap': `${CSI}?45h${'b'.repeat(82)}${'\b'.repeat(5)}X`,
  'screen alignment': `${ESC}#8${CSI}5;5Htest`,
};

const place: Record<string, string> = {
  'cursor after a full row': 'f'.repeat(80),
  'cursor after a full last row': `${lines(23, (i) => String(i))}\r\n${'l'.repeat(80)}`,
  'cursor in the middle': `${lines(10, (i) => `row ${String(i)}`)}${CSI}5;7H`,
  'saved cursor': `${CSI}31;4m${CSI}6;9H${ESC}7${CSI}0m${CSI}20;40Helsewhere`,
  'saved cursor of CSI s': `${CSI}3;3H${CSI}s${CSI}10;10Hx`,
  'saved character set': `${ESC}(0${ESC}7${ESC}(Bqqq`,
  'tab stops': `${CSI}3g${CSI}1;5H${ESC}H${CSI}1;17H${ESC}H${CSI}1;40H${ESC}H\rab\tc`,
  'one tab stop cleared': `${CSI}1;9H${CSI}g\r\ta\tb\r\n${CSI}2Ixy${CSI}Z!`,
  'scroll region': `${lines(20, (i) => `r${String(i)}`)}${CSI}5;12r${CSI}12;1H\r\nin the region\r\n`,
  'scroll region from the top': `${CSI}1;10r${lines(40, (i) => `t${String(i)}`)}`,
  'scroll region with origin': `${CSI}4;9r${CSI}?6h${CSI}1;1Hfirst${CSI}6;1Hlast\r\nmore`,
  'reverse index': `${lines(10, (i) => `r${String(i)}`)}${CSI}2;6r${CSI}2;1H${ESC}M${ESC}Mabove`,
  'scroll up and down': `${lines(24, (i) => `s${String(i)}`)}${CSI}44m${CSI}3S${CSI}2T`,
  'index and next line': `a${ESC}Db${ESC}Ec${CSI}Ed${CSI}2Fe`,
  'line drawing': `${ESC}(0lqqqk\r\nx   x\r\nmqqqj`,
  'line drawing in G1': `${ESC})0\x0elqqk\x0fabc\x0exx`,
  'character sets of old': `${ESC}(A#${ESC}(4#@${ESC}(K[]\\${ESC}(R{|}`,
  'G2 and G3': `${ESC}*0${ESC}+A${ESC}nqx${ESC}o#`,
};

const screens: Record<string, string> = {
  'alternate screen': `before${CSI}?1049h${CSI}2J${CSI}H${lines(20, (i) => `alt ${String(i)}`)}`,
  'alternate screen left': `before${CSI}?1049h${CSI}2J${CSI}5;5Hin it${CSI}?1049lafter`,
  'alternate screen and attributes': `${CSI}1;31mred${CSI}?1049h${CSI}0;44m${CSI}2Jblue${CSI}?1049lstill?`,
  'alternate screen with 47': `one${CSI}?47htwo${CSI}32mgreen`,
  'alternate screen with 1047': `one${CSI}?1047htwo${CSI}?1047lthree`,
  'saved cursor of both screens': `${CSI}4;4H${CSI}35m${ESC}7${CSI}?1049h${CSI}8;8H${CSI}36m${ESC}7${CSI}1;1H`,
  'saved cursor by 1048': `${CSI}7;3H${CSI}?1048h${CSI}1;1Hx`,
  'scrollback under the alternate screen': `${lines(60, (i) => `past ${String(i)}`)}${CSI}?1049h${CSI}Hpage`,
  'scroll region of the alternate screen': `${CSI}?1049h${CSI}3;10r${lines(30, (i) => `a${String(i)}`)}`,
  'hidden cursor': `${CSI}?25lhidden`,
  'cursor style': `${CSI}5 qbar`,
  'cursor style, steady': `${CSI}4 qunderline${CSI}?12l`,
  'mouse and paste': `${CSI}?1002;1006h${CSI}?2004h${CSI}?1004hmodes`,
  'mouse of old': `${CSI}?9h${CSI}?1005hx${CSI}?1015h`,
  'mouse in pixels': `${CSI}?1003h${CSI}?1016h`,
  'application keys': `${CSI}?1h${ESC}=keys`,
  'modes that ended': `${CSI}?1h${CSI}?2004h${CSI}?25l${CSI}4h${CSI}?1l${CSI}?2004l${CSI}?25h${CSI}4l`,
  'soft reset': `${CSI}?25l${CSI}4h${CSI}3;8r${CSI}31m${CSI}!pafter`,
  'full reset': `${lines(50, (i) => `gone ${String(i)}`)}${CSI}?25l${ESC}cafter`,
  'synchronised output': `${CSI}?2026hframe${CSI}?2026lshown`,
};

const osc: Record<string, string> = {
  links: `${OSC}8;;https://shop.example/a${ST}one${OSC}8;;${ST} and ${OSC}8;;https://shop.example/b${ST}two${OSC}8;;${ST}`,
  'links with ids': lines(
    4,
    (i) =>
      `${OSC}8;id=x${String(i % 2)};https://shop.example/${String(i % 2)}${ST}link ${String(i)}${OSC}8;;${ST}`,
  ),
  'a link that goes on': `${OSC}8;id=open;https://shop.example/open${ST}still open `,
  'a link over several rows': `${OSC}8;;https://shop.example/long${ST}${'wide link '.repeat(20)}${OSC}8;;${ST}`,
  'links in the scrollback': lines(
    60,
    (i) => `${OSC}8;;https://shop.example/${String(i)}${ST}item ${String(i)}${OSC}8;;${ST}`,
  ),
  'underlined links': `${CSI}4:3m${OSC}8;;https://shop.example/u${ST}under${OSC}8;;${ST}${CSI}4:2mafter`,
  'a link in the alternate screen': `${OSC}8;;https://shop.example/n${ST}n${OSC}8;;${ST}${CSI}?1049h${OSC}8;;https://shop.example/alt${ST}a`,
  palette: `${OSC}4;1;rgb:ff/80/00${ST}${OSC}4;200;#123456;3;rgb:1/2/3\x07${CSI}31mred`,
  'palette given back': `${OSC}4;1;rgb:ff/80/00\x07${OSC}4;2;#0f0\x07${OSC}104;1\x07${CSI}31mred`,
  'foreground and background': `${OSC}10;#ffeedd${ST}${OSC}11;rgb:10/20/30${ST}${OSC}12;#ff0000\x07coloured`,
  'three colours in one': `${OSC}10;#111111;#eeeeee;#ff00ff\x07x`,
  'colours given back': `${OSC}10;#ffeedd\x07${OSC}11;#000000\x07${OSC}110\x07${OSC}111\x07x`,
  titles: `${OSC}0;a title\x07${OSC}2;…another${ST}text`,
  'unknown sequences': `${OSC}1337;File=x:AAAA\x07${ESC}P+q544e${ST}${ESC}_Gi=1${ST}${CSI}>4;1m${CSI}=1utext`,
  'a link from before a full reset': `${OSC}8;id=k;https://shop.example/k${ST}one${OSC}8;;${ST}${ESC}c\r\n${OSC}8;id=k;https://shop.example/k${ST}two${OSC}8;;${ST}${CSI}2;1H${CSI}M`,
};

const long: Record<string, string> = {
  'scrollback of 10,038 lines': lines(10_038, (i) => `line ${String(i)}`),
  'scrollback that is full': lines(12_500, (i) => `${String(i)} of many`),
  'coloured scrollback': lines(
    3_000,
    (i) => `${CSI}38;5;${String(i % 256)}m${String(i).padStart(7)}${CSI}0m héllo wörld`,
  ),
  'wrapped scrollback': lines(400, (i) => `${String(i)} ${'lorem ipsum dolor '.repeat(12)}`),
  'wide scrollback': lines(900, (i) => `${String(i)} 漢字 … ${'字'.repeat(i % 60)}`),
  'progress bar': lines(3, () =>
    count(300)
      .map((i) => `\r${CSI}32m${'#'.repeat(i % 60)}${CSI}K ${String(i)} %`)
      .join(''),
  ),
  'a log with tabs': lines(
    500,
    (i) => `${String(i)}\tINFO\tpath=/a/${String(i)}\t${'x'.repeat(i % 90)}`,
  ),
};

/** The output of full-screen programs. */
const programs: Record<string, string> = {
  pager: `$ less file\r\n${CSI}?1049h${ESC}[?1h${ESC}=\r${lines(23, (i) => `text ${String(i)}`)}\r\n${CSI}7mfile${CSI}27m${CSI}K`,
  'pager that scrolled': `${CSI}?1049h${lines(23, (i) => String(i))}${count(20)
    .map((i) => `\r${CSI}K${String(i + 23)}\r\n:${CSI}K`)
    .join('')}`,
  editor: `${CSI}?1049h${CSI}?1h${ESC}=${CSI}?2004h${CSI}1;24r${CSI}?12h${CSI}?12l${CSI}22;2t${CSI}27m${CSI}m${CSI}H${CSI}2J${lines(22, () => `${CSI}94m~${CSI}0m`)}${CSI}24;1H${CSI}1m-- INSERT --${CSI}m${CSI}1;1H${CSI}?25hsome text`,
  'editor with split windows': `${CSI}?1049h${CSI}1;11r${CSI}11;1H${'\n'.repeat(4)}${CSI}12;24r${CSI}13;1H${ESC}M${ESC}M${CSI}1;24r${CSI}12;1H${CSI}7m${'-'.repeat(80)}${CSI}27m`,
  'process table': `${CSI}?1049h${CSI}22;0;0t${CSI}1;24r${ESC}(B${CSI}m${CSI}4l${CSI}?7h${CSI}?25l${count(
    5,
  )
    .map(
      (n) =>
        `${CSI}H${CSI}30;42m${'  PID USER      CPU%'.padEnd(80)}${ESC}(B${CSI}m${count(20)
          .map(
            (i) =>
              `\r\n${CSI}36m${String(1000 + i * n).padStart(5)}${CSI}39m root ${CSI}1m${String((i * 7 + n) % 100)}${ESC}(B${CSI}m${CSI}K`,
          )
          .join('')}`,
    )
    .join('')}`,
  'menu in line drawing': `${CSI}?1049h${CSI}H${ESC}(0l${'q'.repeat(30)}k${count(8)
    .map(
      (i) =>
        `${CSI}${String(i + 2)};1Hx${ESC}(B item ${String(i)}${ESC}(0${CSI}${String(i + 2)};32Hx`,
    )
    .join('')}${CSI}10;1Hm${'q'.repeat(30)}j`,
  'shell prompt': `${CSI}?2004h${OSC}0;you@host: ~\x07${CSI}01;32myou@host${CSI}00m:${CSI}01;34m~${CSI}00m$ ls\r\n${CSI}?2004l\rfile  ${CSI}01;34mfolder${CSI}0m\r\n${CSI}?2004h${CSI}01;32myou@host${CSI}00m:${CSI}01;34m~${CSI}00m$ `,
  'line editing': `$ abcdef${'\b'.repeat(3)}${CSI}1@X${CSI}C${CSI}2P${CSI}Kyz\r\n$ `,
  'agent that draws anew': count(40)
    .map(
      (i) =>
        `${CSI}2K${CSI}1A${CSI}2K${CSI}G${CSI}38;2;215;119;87m✻${CSI}39m Thinking… ${CSI}2m(${String(i)}s · esc to interrupt)${CSI}22m\r\n\r\n${CSI}90m╭${'─'.repeat(60)}╮${CSI}39m\r\n│ > ${' '.repeat(57)}│\r\n${CSI}90m╰${'─'.repeat(60)}╯${CSI}39m\r${CSI}3A`,
    )
    .join(''),
  'agent beyond the screen': count(12)
    .map(
      (i) =>
        `${lines(40, (n) => `step ${String(i)}.${String(n)}`)}\r\n${`${CSI}2K${CSI}1A`.repeat(15)}${CSI}G${CSI}J`,
    )
    .join(''),
};

/** Bytes that are not UTF-8, and other special cases. */
const bytes: Record<string, Uint8Array> = {
  'no UTF-8': Uint8Array.from([
    0x61, 0xe9, 0x62, 0xff, 0x63, 0x80, 0x64, 0xc3, 0x28, 0xe2, 0x82, 0x28, 0x0d, 0x0a, 0x65,
  ]),
  'surrogates and overlong': Uint8Array.from([
    0xed, 0xa0, 0x80, 0x41, 0xc0, 0xaf, 0x42, 0xf4, 0x90, 0x80, 0x80, 0x43,
  ]),
  nothing: new Uint8Array(),
  'one line': encode('hello'),
};

/** Random sequences of all kinds. */
function mixed(seed: number, size: number): Uint8Array {
  const next = random(seed);
  const n = (below: number): string => String(next(below));
  const parts: (() => string)[] = [
    () => 'word '.repeat(1 + next(6)),
    () => '漢字…—•e\u0301👍'.slice(0, 2 * (1 + next(4))),
    () => 'x'.repeat(next(120)),
    () => '\r\n',
    () => '\t',
    () => '\b\b',
    () => `${CSI}${n(9)};${n(50)}H`,
    () => `${CSI}${n(5)}${'ABCDEFG'[next(7)] ?? 'A'}`,
    () => `${CSI}${n(10)}m`,
    () => `${CSI}${String(30 + next(8))};${String(40 + next(8))}m`,
    () => `${CSI}38;5;${n(256)}m`,
    () => `${CSI}48;2;${n(256)};${n(256)};${n(256)}m`,
    () => `${CSI}4:${n(6)}m${CSI}58;5;${n(256)}m`,
    () => `${CSI}0m`,
    () => `${CSI}${n(3)}${'JK'[next(2)] ?? 'K'}`,
    () => `${CSI}${n(6)}${'@PXLMST'[next(7)] ?? 'X'}`,
    () => `${CSI}${String(1 + next(8))};${String(10 + next(14))}r`,
    () => `${CSI}r`,
    () => `${ESC}${'78DEM'[next(5)] ?? '7'}`,
    () => `${ESC}H`,
    () => `${CSI}g`,
    () =>
      `${CSI}?${['1', '6', '7', '25', '45', '47', '1047', '1048', '1049', '2004'][next(10)] ?? '1'}${'hl'[next(2)] ?? 'l'}`,
    () => `${CSI}4${'hl'[next(2)] ?? 'l'}`,
    () => `${ESC}${'()'[next(2)] ?? '('}${'0AB'[next(3)] ?? 'B'}`,
    () => '\x0e\x0f'[next(2)] ?? '\x0f',
    () => `${OSC}8;${next(2) === 0 ? '' : `id=${n(3)}`};https://shop.example/${n(5)}${ST}`,
    () => `${OSC}8;;${ST}`,
    () => `${OSC}4;${n(16)};#${n(10)}${n(10)}${n(10)}\x07`,
    () => `${CSI}${String(1 + next(6))} q`,
    () => `x${CSI}${n(30)}b`,
    () => `${CSI}!p`,
  ];
  let text = '';
  while (text.length < size) text += (parts[next(parts.length)] ?? (() => ''))();
  return encode(text);
}

/** Every stream, with its name. */
export const streams: readonly Case[] = [
  ...[sgr, letters, erase, place, screens, osc, long, programs].flatMap((kind) =>
    Object.entries(kind).map(([name, text]) => ({ name, bytes: encode(text) })),
  ),
  ...Object.entries(bytes).map(([name, data]) => ({ name, bytes: data })),
  ...count(24).map((i) => ({ name: `mixed ${String(i)}`, bytes: mixed(i + 1, 300 + i * 400) })),
];

/**
 * Bytes that make hidden state visible: where the next tab, line, character and cursor position go.
 */
export const probe: Uint8Array = encode(
  `Aq\tB${'p'.repeat(90)}\r\n\tC${CSI}Kx\u0301${ESC}8D${CSI}5b\r\n\n\n\n${ESC}ME${CSI}?1049l${ESC}8F\x0eq\x0fq`,
);
