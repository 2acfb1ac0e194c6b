import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { announce } from './announcement.ts'
import { openHome } from './home.ts'
import { StartRefused } from './refusal.ts'

const folderFor = (context: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-home-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const facts = {
  base_url: 'https://127.0.0.1:8443',
  ca_file: '/ca',
  websocket: { url: 'wss://127.0.0.1:8790', key: 'key' },
  nodes: [],
  pid: 4711,
}

test('the home is made for its owner alone, and one that others may read is closed to them', (context) => {
  const folder = folderFor(context)
  const fresh = join(folder, 'a', 'b')
  openHome(fresh).release()
  assert.equal(statSync(fresh).mode & 0o777, 0o700)
  const open = join(folder, 'open')
  mkdirSync(open)
  chmodSync(open, 0o755)
  openHome(open).release()
  assert.equal(statSync(open).mode & 0o777, 0o700)
})

test('a second fleet on the same home is refused, and the refusal names the one that runs', (context) => {
  const home = openHome(folderFor(context))
  announce(home.path, facts)
  assert.throws(
    () => openHome(home.path),
    (error) => {
      assert.ok(error instanceof StartRefused)
      assert.match(error.message, /is already running on .* \(process 4711, https:\/\/127\.0\.0\.1:8443\)/)
      return true
    },
  )
  assert.ok(existsSync(home.in('embedded.json')), 'the running fleet stays announced')
  home.release()
  openHome(home.path).release()
})

test('a killed fleet holds its home no longer, and what it announced is withdrawn', async (context) => {
  const folder = folderFor(context)
  const program = `import('${import.meta.dirname}/home.ts').then(({ openHome }) => { openHome('${folder}'); console.log('open'); setInterval(() => {}, 1000) })`
  const holder = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  announce(folder, facts)
  assert.throws(() => openHome(folder), StartRefused)
  holder.kill('SIGKILL')
  await once(holder, 'close')
  openHome(folder).release()
  assert.equal(existsSync(join(folder, 'embedded.json')), false)
})

test('a home that is no folder is refused by name', (context) => {
  const path = join(folderFor(context), 'file')
  writeFileSync(path, '')
  assert.throws(() => openHome(path), /file cannot be created or used as the home of the fleet/)
})

test('a large log is set aside, a small one continues', (context) => {
  const home = openHome(folderFor(context))
  home.release()
  writeFileSync(home.in('gateway.log'), 'line\n')
  openHome(home.path).release()
  assert.equal(existsSync(home.in('gateway.log.1')), false)
  truncateSync(home.in('gateway.log'), 17 * 1024 * 1024)
  openHome(home.path).release()
  assert.equal(existsSync(home.in('gateway.log')), false)
  assert.ok(existsSync(home.in('gateway.log.1')))
})
