#!/usr/bin/env node
// Runs the program of this system. npm installed it with the package for the system, which is
// an optional dependency of this one. Input, output, signals and exit code are the program's.
import { spawn } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { isatty } from 'node:tty';

const { platform, arch } = process;
const { version, optionalDependencies, homepage } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** Says what is wrong and what to do, as the program does, and ends. */
function fail(what, advice) {
  writeSync(2, `pilotfish: ${what}\n  ${advice}\n`);
  process.exit(1);
}

/** The folder of the programs for this system. */
function folder() {
  const name = `pilotfish-${platform}-${arch}`;
  if (!Object.hasOwn(optionalDependencies, name)) {
    const built = Object.keys(optionalDependencies).map((each) => each.slice('pilotfish-'.length));
    fail(
      `there is no program for ${platform}-${arch}, only for ${built.join(', ')}`,
      `build it from its source: ${homepage}`,
    );
  }
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin');
  } catch {
    return fail(
      `${name} is not installed, the package that holds the program for this system`,
      `npm leaves it out with --omit=optional, and where node_modules was copied from another system; install again: npm install --include=optional pilotfish@${version}`,
    );
  }
}

const program = join(folder(), platform === 'win32' ? 'pilotfish.exe' : 'pilotfish');
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (err) =>
  fail(
    `${program} cannot be started: ${err.message}`,
    `install it again: npm install --force pilotfish@${version}`,
  ),
);

// A terminal sends what is typed (Ctrl-C, Ctrl-\) to the program as well; passed on, it would
// count twice. isatty, because process.stdin would make the input that both share non-blocking.
const typed = platform === 'win32' ? ['SIGINT', 'SIGBREAK'] : ['SIGINT', 'SIGQUIT'];
const others = platform === 'win32' ? [] : ['SIGTERM', 'SIGHUP'];
const inTerminal = platform === 'win32' || [0, 1, 2].some((fd) => isatty(fd));
for (const signal of typed) process.on(signal, () => inTerminal || child.kill(signal));
for (const signal of others) process.on(signal, () => child.kill(signal));

child.on('close', (code, signal) => {
  if (signal === null) process.exit(code);
  // Who waits for this process sees the same end.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  process.exit(128 + constants.signals[signal]); // Node ignores this signal
});
