// Runs the conformance suite of the Model Context Protocol against /mcp of a headless session with
// its own home. The suite does not support tokens, so a small proxy adds ours. The proxy forwards
// the Host header, except its own name.
// Usage: node run.mjs PATH-OF-pilotfish
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

// The other scenarios need servers with tools, prompts and resources made for the suite.
const scenarios = ['server-initialize', 'ping', 'logging-set-level', 'tools-list', 'dns-rebinding-protection']

const program = resolve(process.argv[2])
const home = mkdtempSync(join(tmpdir(), 'pilotfish-conformance-'))
const env = { ...process.env, PILOTFISH_HOME: home, PILOTFISH_READY: '3' }
const clear = () => rmSync(home, { recursive: true, force: true })

// On file descriptor 3 it reports with a line that it listens, or why it does not.
const app = spawn(program, ['serve', '--headless', '--json'], { env, stdio: ['ignore', 'ignore', 'inherit', 'pipe'] })
const ended = new Promise((done) => app.on('close', done))
const word = await new Promise((done) => {
  let said = ''
  app.stdio[3].on('data', (text) => {
    said += text
    if (said.includes('\n')) done(said.trim())
  })
  app.on('close', () => done(said.trim() || 'it ended'))
})
if (word !== 'ready') {
  console.error(`pilotfish did not start: ${word}`)
  await ended
  clear()
  process.exit(1)
}
const { port, token } = JSON.parse(readFileSync(join(home, 'state', 'pilotfish.json'), 'utf8'))

let own = ''
const proxy = createServer((from, to) => {
  const headers = { ...from.headers, authorization: `Bearer ${token}` }
  if (headers.host === own) headers.host = `127.0.0.1:${port}`
  if (headers.origin === `http://${own}`) delete headers.origin
  const out = request({ host: '127.0.0.1', port, method: from.method, path: from.url, headers }, (answer) => {
    to.writeHead(answer.statusCode, answer.headers)
    answer.pipe(to)
  })
  out.on('error', () => to.destroy())
  to.on('close', () => out.destroy())
  from.pipe(out)
})
await new Promise((done) => proxy.listen(0, '127.0.0.1', done))
own = `localhost:${proxy.address().port}`

// The suite's own program, whatever name its file has in the package.
const folder = join(dirname(fileURLToPath(import.meta.url)), 'node_modules', '@modelcontextprotocol', 'conformance')
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const suite = join(folder, typeof manifest.bin === 'string' ? manifest.bin : Object.values(manifest.bin)[0])

let failed = 0
for (const scenario of scenarios) {
  const child = spawn(process.execPath, [suite, 'server', '--url', `http://${own}/mcp`, '--scenario', scenario], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stdout.on('data', (text) => (said += text))
  child.stderr.on('data', (text) => (said += text))
  const status = await new Promise((done) => child.on('close', done))
  if (status !== 0) {
    failed++
    process.stdout.write(`${said}\n`)
  }
  console.log(`${status === 0 ? 'passed' : 'FAILED'}  ${scenario}`)
}
proxy.closeAllConnections()
proxy.close()
app.kill('SIGTERM')
await ended
clear()
console.log(`${scenarios.length - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
