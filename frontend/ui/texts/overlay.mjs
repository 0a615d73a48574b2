// @ts-check
// Writes the Go sources, and the pages that Go embeds, of a build in another language, and
// overlay.json, with which `go build -overlay` uses them in the place of the originals:
//   PILOTFISH_LANGUAGE=de node frontend/ui/texts/overlay.mjs FOLDER
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { embedded, goTexts, root } from './catalogue.mjs';
import { translation } from './plugin.mjs';

const folder = process.argv[2];
const other = translation();
if (folder === undefined || other === undefined)
  throw new Error('Usage: PILOTFISH_LANGUAGE=LANGUAGE node frontend/ui/texts/overlay.mjs FOLDER');

const source = (/** @type {string} */ file) => readFileSync(root + file, 'utf8');
const files = Object.entries(goTexts()).map(([file, texts]) => [
  file,
  other.replace(source(file), file, texts),
]);
for (const page of embedded) files.push([page, other.apply(source(page), root + page) ?? '']);

/** @type {Record<string, string>} */
const replaced = {};
for (const [file = '', text = ''] of files) {
  const target = resolve(folder, file);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
  replaced[root + file] = target;
}
writeFileSync(resolve(folder, 'overlay.json'), JSON.stringify({ Replace: replaced }));
const said = other.warning();
if (said !== undefined) console.warn(`Go: ${said}`);
