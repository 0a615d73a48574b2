// Installs the packages of npm as a user does, from a registry on loopback and from files, in
// a home of its own and without a network, and uses what was installed.
// Usage: node test.mjs OUT CROSS VERSION (those of make.mjs)
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [out, cross, built] = [resolve(process.argv[2]), resolve(process.argv[3]), process.argv[4]];
const own = `pilotfish-${process.platform}-${process.arch}`;
const work = mkdtempSync(join(tmpdir(), 'pilotfish-npm-test-'));
after(() => rmSync(work, { recursive: true, force: true }));

/** The packages in OUT: their file, their manifest, and all of their bytes. */
const packages = readdirSync(out)
  .filter((file) => file.endsWith('.tgz'))
  .map((file) => {
    const about = JSON.parse(
      execFileSync('tar', ['-xzOf', join(out, file), 'package/package.json'], {
        encoding: 'utf8',
      }),
    );
    return { file, about, bytes: readFileSync(join(out, file)) };
  });
const main = packages.find(({ about }) => about.name === 'pilotfish');
const ofOwn = packages.find(({ about }) => about.name === own);
const { version } = main.about;

/** A registry of these packages. What it was asked for is in asked. */
const asked = [];
const registry = createServer((request, answer) => {
  const name = decodeURIComponent(request.url.slice(1));
  asked.push(name);
  const wanted = packages.find(({ file, about }) => name === file || name === about.name);
  if (wanted === undefined) {
    answer.writeHead(404).end();
  } else if (name === wanted.file) {
    answer.end(wanted.bytes);
  } else {
    const dist = {
      tarball: `${address}/${wanted.file}`,
      integrity: `sha512-${createHash('sha512').update(wanted.bytes).digest('base64')}`,
    };
    answer.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: version },
        versions: { [version]: { ...wanted.about, dist } },
      }),
    );
  }
}).listen(0, '127.0.0.1');
await once(registry, 'listening');
const address = `http://127.0.0.1:${registry.address().port}`;
after(() => registry.close());

/** The environment of a user who has nothing yet. */
function home() {
  const folder = mkdtempSync(join(work, 'home-'));
  return {
    HOME: folder,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    LANG: 'C.UTF-8',
    npm_config_registry: address,
    npm_config_update_notifier: 'false',
  };
}

/** Runs a program to its end. */
function run(program, args, env, cwd = env.HOME) {
  const child = spawn(program, args, {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'])
    child[stream].on('data', (text) => (said[stream] += text));
  return once(child, 'close').then(([code, signal]) => ({
    code,
    signal,
    ...said,
  }));
}

/** Installs with npm into a folder of its own; returns where the command is. */
async function install(env, ...args) {
  const done = await run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefix', join(env.HOME, 'app'), ...args],
    env,
  );
  assert.equal(done.code, 0, done.stderr);
  return join(env.HOME, 'app', 'node_modules', '.bin', 'pilotfish');
}

test('the checksums are those of the packages', () => {
  execFileSync('sha256sum', ['--quiet', '-c', 'SHA256SUMS'], { cwd: out });
});

test('made again, the same bytes', () => {
  const again = join(work, 'again');
  execFileSync(process.execPath, [join(here, 'make.mjs'), again, cross, built]);
  assert.equal(
    readFileSync(join(again, 'SHA256SUMS'), 'utf8'),
    readFileSync(join(out, 'SHA256SUMS'), 'utf8'),
  );
});

test('six systems, and no script that npm would run', () => {
  assert.equal(packages.length, 7);
  assert.deepEqual(
    Object.keys(main.about.optionalDependencies).sort(),
    packages
      .map(({ about }) => about.name)
      .filter((name) => name !== 'pilotfish')
      .sort(),
  );
  for (const { about } of packages) {
    assert.equal(about.version, version);
    assert.equal(about.scripts, undefined);
    assert.equal(about.dependencies, undefined);
    if (about.name !== 'pilotfish') assert.equal(about.name, `pilotfish-${about.os}-${about.cpu}`);
  }
});

test('server.json names this package', () => {
  const server = JSON.parse(readFileSync(join(out, 'server.json'), 'utf8'));
  assert.equal(server.name, main.about.mcpName);
  assert.match(server.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  assert.ok(server.description.length <= 100, 'the registry takes 100 characters');
  assert.equal(server.version, version);
  const [only] = server.packages;
  assert.deepEqual(
    [only.registryType, only.identifier, only.version],
    ['npm', main.about.name, version],
  );
});

test('from a registry: only the package of this system is loaded, and it runs', async () => {
  const env = home();
  const command = await install(env, 'pilotfish');
  assert.deepEqual(
    asked.filter((name) => name.endsWith('.tgz')).sort(),
    [main.file, ofOwn.file].sort(),
  );
  const said = await run(command, ['--version'], env);
  assert.deepEqual([said.code, said.stderr], [0, '']);
  assert.ok(said.stdout.includes(built), said.stdout);
});

test('npx runs it without an installation', async () => {
  const env = home();
  const said = await run('npx', ['--yes', 'pilotfish', '--version'], env);
  assert.equal(said.code, 0, said.stderr);
  assert.ok(said.stdout.includes(built), said.stdout);
});

test('from two files, without a network', async () => {
  const env = home();
  const command = await install(env, '--offline', join(out, main.file), join(out, ofOwn.file));
  const direct = join(env.HOME, 'app', 'node_modules', own, 'bin', 'pilotfish');
  for (const args of [['--version'], ['no-such-command'], ['status'], ['click'], ['help', 'mcp']]) {
    const [launched, itself] = [await run(command, args, env), await run(direct, args, env)];
    assert.deepEqual(launched, itself, args.join(' '));
  }
  assert.notEqual((await run(command, ['no-such-command'], env)).code, 0);
});

test('the MCP server answers over standard input and output, and ends with its input', async () => {
  const env = home();
  const command = await install(env, 'pilotfish');
  const child = spawn(command, ['mcp'], {
    env,
    cwd: env.HOME,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answer = async () => JSON.parse((await lines.next()).value);
  ask({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  });
  assert.equal((await answer()).result.serverInfo.name, 'pilotfish');
  ask({ method: 'notifications/initialized' });
  ask({ id: 2, method: 'tools/list' });
  const { tools } = (await answer()).result;
  assert.ok(
    tools.some(({ name }) => name === 'browser_snapshot'),
    tools.map(({ name }) => name).join(' '),
  );
  const closed = once(child, 'close');
  child.stdin.end();
  assert.deepEqual(await closed, [0, null]);
});

test('a signal reaches the program, and the launcher ends by it', async () => {
  const env = home();
  const command = await install(env, 'pilotfish');
  // In place of the program, one that does as each case says.
  const script = (body) => {
    const program = join(env.HOME, 'app', 'node_modules', own, 'bin', 'pilotfish');
    writeFileSync(program, `#!${body}\n`);
    chmodSync(program, 0o755);
  };
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT']) {
    script(`/usr/bin/env node
      process.on('${signal}', () => { console.log('got ${signal}'); process.exit(7); });
      process.stdin.resume();
      console.log('ready');`);
    const child = spawn(command, [], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const closed = once(child, 'close');
    assert.equal((await lines.next()).value, 'ready');
    child.kill(signal);
    assert.equal((await lines.next()).value, `got ${signal}`);
    assert.deepEqual(await closed, [7, null]);
  }
  for (const signal of ['TERM', 'INT', 'KILL']) {
    script(`/bin/sh\nkill -${signal} $$`);
    const ended = await run(command, [], env);
    assert.deepEqual([ended.code, ended.signal], [null, `SIG${signal}`]);
  }
  script('/bin/sh\nkill -PIPE $$');
  assert.equal(
    (await run(command, [], env)).code,
    141,
    'Node ignores SIGPIPE, so that the launcher ends by its number',
  );
  script('/bin/sh\ncat; exit 3');
  const piped = spawnSync(command, [], { env, input: 'through\0both' });
  assert.deepEqual([piped.status, piped.stdout.toString()], [3, 'through\0both']);
});

test('what is missing is said, with what to do', async () => {
  const env = home();
  const command = await install(env, '--omit=optional', 'pilotfish');
  const missing = await run(command, ['--version'], env);
  assert.equal(missing.code, 1);
  assert.match(
    missing.stderr,
    new RegExp(
      `^pilotfish: ${own} is not installed.*\\n {2}.*npm install --include=optional pilotfish@`,
    ),
  );
  // Its advice helps.
  await install(env, '--include=optional', `pilotfish@${version}`);
  assert.equal((await run(command, ['--version'], env)).code, 0);

  const disguise = join(env.HOME, 'disguise.cjs');
  writeFileSync(disguise, "Object.defineProperty(process, 'platform', { value: 'freebsd' });\n");
  const other = await run(command, ['--version'], {
    ...env,
    NODE_OPTIONS: `--require=${disguise}`,
  });
  assert.equal(other.code, 1);
  assert.match(
    other.stderr,
    /^pilotfish: there is no program for freebsd-.*, only for linux-x64, .*\n {2}build it from its source: https/,
  );

  const program = join(env.HOME, 'app', 'node_modules', own, 'bin', 'pilotfish');
  rmSync(program);
  mkdirSync(program);
  const broken = await run(command, ['--version'], env);
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /^pilotfish: .* cannot be started: .*\n {2}install it again/);
});
