// Makes clean.engine.gz, which Clean up works with, from the filter lists of AdGuard (with EasyList
// inside) as one npm package ships them. Run it by hand for newer lists: node lists/update.mjs
// The result is in the repository, so that a build neither fetches the package (116 MB, and
// dependencies that we do not use) nor reads 90,000 lines again, and the browser fetches nothing.
import { FiltersEngine } from '@ghostery/adblocker';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { URL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { engineOptions, linesOf } from './lines.mjs';

const PACKAGE = '@adguard/dnr-rulesets@3.3.20260320140136';
/** AdGuard's numbers of the lists: ads, cookie notices, popups, app banners, other annoyances. */
const LISTS = [2, 18, 19, 20, 21];

const folder = await mkdtemp(join(tmpdir(), 'lists-'));
try {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--silent', PACKAGE], { cwd: folder, encoding: 'utf8' }),
  );
  execFileSync('tar', ['xzf', packed.filename], { cwd: folder });
  const lines = [];
  const heads = [];
  for (const number of LISTS) {
    const file = `package/dist/filters/declarative/ruleset_${number}/ruleset_${number}.json`;
    const rules = JSON.parse(await readFile(join(folder, file), 'utf8'));
    const { rawFilterList } = rules.find(({ metadata }) => metadata?.rawFilterList).metadata;
    const head = (name) => new RegExp(`^! ${name}: (.*)$`, 'm').exec(rawFilterList)?.[1]?.trim();
    const taken = linesOf(rawFilterList);
    lines.push(...taken);
    heads.push(
      `- ${head('Title')}, ${head('Version')} of ${head('TimeUpdated')}: ${taken.length} rules`,
    );
  }
  const engine = FiltersEngine.parse(lines.join('\n'), engineOptions);
  await writeFile(
    new URL('clean.engine.gz', import.meta.url),
    gzipSync(engine.serialize(), { level: 9 }),
  );
  await writeFile(
    new URL('NOTICE.txt', import.meta.url),
    `clean.engine.gz is made from filter lists. It is data that Pilotfish reads, not part of its
program, and has its own license: GNU General Public License, version 3.
The lists are by AdGuard (https://github.com/AdguardTeam/AdguardFilters) and contain EasyList
(https://easylist.to). They come from the npm package ${PACKAGE}
(${packed.integrity}).
Its source is the text of that package and lists/update.mjs.

${heads.join('\n')}
`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
