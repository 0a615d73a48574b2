// Makes the packages of npm: one for each system with its programs, one with the launcher that
// depends on them, and server.json for the registry of MCP servers. The same programs give the
// same bytes: npm writes one fixed time into its archives.
// Usage: node make.mjs OUT CROSS VERSION (CROSS has a folder of programs for each system)
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Node's names of systems, and Go's.
const systems = [
  { os: 'linux', cpu: 'x64', from: 'linux-amd64' },
  { os: 'linux', cpu: 'arm64', from: 'linux-arm64' },
  { os: 'darwin', cpu: 'x64', from: 'darwin-amd64' },
  { os: 'darwin', cpu: 'arm64', from: 'darwin-arm64' },
  { os: 'win32', cpu: 'x64', from: 'windows-amd64' },
  { os: 'win32', cpu: 'arm64', from: 'windows-arm64' },
];

const here = dirname(fileURLToPath(import.meta.url));
const [out, cross, built] = [resolve(process.argv[2]), resolve(process.argv[3]), process.argv[4]];
const version = npmVersion(built);
const work = mkdtempSync(join(tmpdir(), 'pilotfish-npm-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const launcher = JSON.parse(readFileSync(join(here, 'pilotfish', 'package.json'), 'utf8'));
const { homepage, repository, license, author } = launcher;
launcher.version = version;
launcher.optionalDependencies = Object.fromEntries(
  systems.map(({ os, cpu }) => [`pilotfish-${os}-${cpu}`, version]),
);

for (const { os, cpu, from } of systems) {
  const name = `pilotfish-${os}-${cpu}`;
  const end = os === 'win32' ? '.exe' : '';
  const text = `The programs of [pilotfish](https://www.npmjs.com/package/pilotfish) for ${os} on ${cpu}. Install that package.\n`;
  // preferUnplugged: Yarn would keep the programs in a zip file, and a program is started from a file.
  const about = {
    name,
    version,
    description: `Programs of Pilotfish for ${os} on ${cpu}`,
    homepage,
    repository,
    license,
    author,
    os: [os],
    cpu: [cpu],
    files: ['bin'],
    preferUnplugged: true,
  };
  pack(name, about, (folder) => {
    mkdirSync(join(folder, 'bin'));
    for (const program of ['pilotfish', 'pilotfish-service']) {
      const to = join(folder, 'bin', program + end);
      copyFileSync(join(cross, from, program + end), to);
      chmodSync(to, 0o755);
    }
    writeFileSync(join(folder, 'README.md'), text);
  });
}
pack('pilotfish', launcher, (folder) => {
  cpSync(join(here, 'pilotfish'), folder, { recursive: true });
  chmodSync(join(folder, 'bin', 'pilotfish.js'), 0o755);
});

const server = JSON.parse(readFileSync(join(here, 'server.json'), 'utf8'));
server.version = version;
for (const each of server.packages) each.version = version;
if (server.name !== launcher.mcpName)
  throw new Error('the registry takes a package only when its mcpName is the name in server.json');
write(join(out, 'server.json'), server);
const sums = readdirSync(out)
  .sort()
  .map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(join(out, file)))
        .digest('hex')}  ${file}\n`,
  );
writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));

/** Packs one package: its files, the license, and its manifest. */
function pack(name, manifest, fill) {
  const folder = join(work, name);
  mkdirSync(folder);
  fill(folder);
  copyFileSync(join(here, '..', '..', 'LICENSE'), join(folder, 'LICENSE'));
  write(join(folder, 'package.json'), manifest);
  execFileSync(
    'npm',
    [
      'pack',
      '--ignore-scripts',
      '--offline',
      '--no-update-notifier',
      '--loglevel=error',
      '--pack-destination',
      out,
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

function write(file, data) {
  writeFileSync(file, `${JSON.stringify(data, null, 2)}\n`);
}

/**
 * The version of a build as npm takes it: npm ignores what follows "+". 0.1.0-dev+4d6ff36b, before
 * the first release, is 0.1.0-dev.g4d6ff36b; 0.1.0+5.4d6ff36b, five commits after one, is
 * 0.1.1-dev.5.g4d6ff36b, which sorts behind it.
 */
function npmVersion(text) {
  const [, release, commits] = /^(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?:\+(.*))?$/.exec(text) ?? [];
  if (release === undefined) throw new Error(`${text} is not a version that npm takes`);
  if (commits === undefined) return release;
  // A commit of digits only would be a number, which may not begin with 0.
  const rest = commits.replace(/[0-9a-f]{7,}/, 'g$&');
  if (release.includes('-')) return `${release}.${rest}`;
  const [major, minor, patch] = release.split('.');
  return `${major}.${minor}.${Number(patch) + 1}-dev.${rest}`;
}
