import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { test, type TestContext } from 'node:test'

const launcher = resolve(import.meta.dirname, '../../../fleet')
const folder = (context: TestContext): string => {
  const made = mkdtempSync(join(tmpdir(), 'fleet-launcher-'))
  context.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}
const start = (file: string, cwd: string, home: string) =>
  spawnSync(file, ['--version'], { cwd, encoding: 'utf8', env: { HOME: home, PATH: '/usr/bin:/bin' } })

test('the launcher runs from anywhere, also through links that point to links', (context) => {
  const at = folder(context)
  mkdirSync(join(at, 'a b'))
  symlinkSync(relative(join(at, 'a b'), launcher), join(at, 'a b', 'one'))
  symlinkSync('a b/one', join(at, 'two'))
  for (const [file, cwd] of [
    [launcher, at],
    [join(at, 'two'), '/'],
    ['./two', at],
    ['./one', join(at, 'a b')],
  ] as const) {
    const { stdout, stderr, status } = start(file, cwd, at)
    assert.match(stdout, /^fleet \d+\.\d+\.\d+ \(node 26\./, stderr)
    assert.equal(status, 0)
  }
})

test('a checkout without its packages says what to do', (context) => {
  const at = folder(context)
  copyFileSync(launcher, join(at, 'fleet'))
  const { stderr, status } = start(join(at, 'fleet'), '/', at)
  assert.equal(status, 2)
  assert.match(stderr, /npm ci/)
})

test('a command line ends with the status and streams of its outcome', (context) => {
  const at = folder(context)
  const typed = (...words: readonly string[]) =>
    spawnSync(launcher, words, { encoding: 'utf8', env: { HOME: at, PATH: '/usr/bin:/bin', FLEET_HOME: at } })
  const none = typed('node:list')
  assert.deepEqual([none.status, none.stdout], [2, ''])
  assert.match(none.stderr, /^gateway\.profile_missing {2}/)
  assert.equal(typed('nonsense').status, 2)
  assert.equal(typed('help').status, 0)
})

test(
  'an answer that cannot be written is an error that says so, and one that nobody reads to its end is none',
  { skip: !existsSync('/dev/full') && 'needs /dev/full' },
  (context) => {
    const at = folder(context)
    const run = (line: string) =>
      spawnSync('/bin/bash', ['-c', line], {
        encoding: 'utf8',
        env: { HOME: at, PATH: '/usr/bin:/bin', FLEET: launcher },
      })
    const full = run('"$FLEET" help >/dev/full')
    assert.deepEqual(
      [full.status, full.stderr],
      [1, 'The answer cannot be written to standard output: ENOSPC.\n'],
    )
    const cut = run('"$FLEET" help | head -n 1 >/dev/null; echo "${PIPESTATUS[0]}"')
    assert.deepEqual([cut.stdout, cut.stderr], ['0\n', ''])
  },
)

test('a command that is ended in the middle of a change says which request may still be worked on, and ends by the signal', async (context) => {
  const at = folder(context)
  const gateway = createServer((socket) => void socket.on('error', () => undefined))
  await new Promise<void>((resolve) => void gateway.listen(0, '127.0.0.1', resolve))
  context.after(() => gateway.close())
  const { port } = gateway.address() as AddressInfo // It listens on a port.
  writeFileSync(join(at, 'root.crt'), '')
  const described = {
    base_url: `https://127.0.0.1:${port}`,
    ca_file: join(at, 'root.crt'),
    pid: process.pid,
    nodes: [],
  }
  writeFileSync(join(at, 'embedded.json'), JSON.stringify(described))
  for (const [signal, status] of [
    ['SIGTERM', [null, 'SIGTERM']],
    ['SIGINT', [130, null]],
  ] as const) {
    const env = { HOME: at, PATH: '/usr/bin:/bin', FLEET_HOME: at }
    const child = spawn(launcher, ['cluster:create', 'one'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    const isConnected = once(gateway, 'connection')
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await isConnected
    const ended = once(child, 'exit')
    child.kill(signal)
    assert.deepEqual([await ended, said], [status, said])
    assert.match(
      said,
      /Interrupted\. The gateway may still be working on the request: fleet activity:list --request-id [0-9a-f-]{36}\n/,
    )
  }
})
