// Prints the end of a test run: what failed, the slowest packages and files, the wall and
// processor time, the counts of each runner, and one line that adds them up. Ends with 1 if
// something failed.
// Usage: node build/summary.mjs FOLDER SECONDS (run by build/test; FOLDER has the reports of
// gotestsum and vitest, the output of the shell's "times", and a file "failed" if a runner did)
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [folder, wall] = [process.argv[2], Number(process.argv[3])];

/** The first line of a text, short enough for a list. */
const first = (text = '') => text.trim().split('\n')[0].slice(0, 240);

/** @returns {{ passed: number, failed: number, skipped: number, failures: string[], slow: [number, string][] }} */
const empty = () => ({ passed: 0, failed: 0, skipped: 0, failures: [], slow: [] });

/** Counts top-level tests: a subtest is a part of its test. See `go doc test2json`. */
function readGo(file) {
  const sum = empty();
  const output = new Map();
  const failed = new Set();
  const fails = (event, said) => {
    const lines = said.split('\n');
    const where = lines.filter((l) => /^\s+\w+\.go:\d+: /.test(l)).map((l) => l.trim());
    const line = where.join(' · ') || lines.find((l) => l.startsWith('panic:'));
    sum.failed++;
    failed.add(event.Package);
    sum.failures.push(`${event.Package} ${event.Test ?? ''} ${first(line)}`.trim());
  };
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (!line.startsWith('{')) continue;
    const event = JSON.parse(line);
    const test = event.Test?.split('/')[0];
    const key = `${event.Package} ${test ?? ''}`;
    if (event.Action === 'output') output.set(key, (output.get(key) ?? '') + event.Output);
    if (!['pass', 'fail', 'skip'].includes(event.Action) || event.Test !== test) continue;
    if (test !== undefined) {
      if (event.Action === 'pass') sum.passed++;
      if (event.Action === 'skip') sum.skipped++;
      if (event.Action === 'fail') fails(event, output.get(key) ?? '');
      output.delete(key);
      continue;
    }
    sum.slow.push([event.Elapsed ?? 0, event.Package]);
    // A compile error, a panic or a timeout. What is left belongs to tests that did not end.
    if (event.Action === 'fail' && !failed.has(event.Package)) {
      fails(event, [...output].filter(([k]) => k.startsWith(`${event.Package} `)).map(([, said]) => said).join(''));
    }
  }
  return sum;
}

function readVitest(file) {
  const sum = empty();
  for (const result of JSON.parse(readFileSync(file, 'utf8')).testResults) {
    const name = relative(process.cwd(), result.name);
    sum.slow.push([(result.endTime - result.startTime) / 1000, name]);
    const failed = result.assertionResults.filter((test) => test.status === 'failed');
    sum.passed += result.assertionResults.filter((test) => test.status === 'passed').length;
    sum.skipped += result.assertionResults.length - failed.length;
    sum.failed += failed.length;
    for (const test of failed) sum.failures.push(`${name} > ${test.fullName}: ${first(test.failureMessages[0])}`);
    if (result.status === 'failed' && failed.length === 0) {
      sum.failed++;
      sum.failures.push(`${name} ${first(result.message)}`);
    }
  }
  sum.skipped -= sum.passed;
  return sum;
}

const total = empty();
const rows = [];
for (const file of readdirSync(folder).sort()) {
  const [, name, kind] = /^(.*)\.(go|vitest)\.json$/.exec(file) ?? [];
  if (name === undefined) continue;
  const sum = (kind === 'go' ? readGo : readVitest)(join(folder, file));
  rows.push(`${name}: ${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
  for (const count of ['passed', 'failed', 'skipped']) total[count] += sum[count];
  total.failures.push(...sum.failures);
  total.slow.push(...sum.slow);
}
// A runner that failed and says of no test that it failed: it wrote no report, for example.
if (existsSync(join(folder, 'failed')) && total.failed === 0) {
  total.failed = 1;
  total.failures.push('a runner failed; see its output above');
}

if (total.failures.length > 0) console.log(`\n== what failed\n${total.failures.join('\n')}`);
console.log('\n== the slowest packages and files');
for (const [seconds, name] of total.slow.sort((a, b) => b[0] - a[0]).slice(0, 10)) {
  console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
}
// The second line of "times" is that of the children: user and system.
const [user, system] = readFileSync(join(folder, 'times'), 'utf8')
  .trim()
  .split('\n')[1]
  .split(' ')
  .map((time) => {
    const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(time);
    return Number(minutes) * 60 + Number(seconds);
  });
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
console.log(`\n== ${clock(wall)} wall, ${clock(user + system)} of processor time (${clock(user)} user, ${clock(system)} sys)`);
console.log(rows.join('\n'));
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 ? 0 : 1);
