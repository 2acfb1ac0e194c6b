import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { systemClock } from '@fleet/kernel'
import { type EmbeddedFleet, startEmbedded } from './harness.ts'

const CLI = resolve(import.meta.dirname, '../../fleet')
const onLinux = { skip: process.platform !== 'linux' && 'the gateway takes agents of Linux alone' }
/** What `npm start` promises: something to see in the first minute. */
const FIRST_MINUTE_MILLISECONDS = 60_000

const environment = (fleet: EmbeddedFleet) => ({ ...process.env, FLEET_HOME: fleet.home })

/** Tries until it holds, for a minute at most. */
async function inFirstMinute(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + FIRST_MINUTE_MILLISECONDS
  while (!(await holds())) {
    assert.ok(performance.now() < end, 'not within the first minute')
    await systemClock.sleep(500)
  }
}

/** Name and state of each Node's agent, as `fleet top` has them. */
async function agentsOf(fleet: EmbeddedFleet): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(CLI, ['top', '--json'], { env: environment(fleet) })
  const { nodes } = JSON.parse(stdout) as { nodes: ReadonlyArray<{ name: string; agent: string }> } // What it prints.
  return nodes.map(({ name, agent }) => `${name} ${agent}`)
}

/** Lines that came live; `then` is called when the first have. Ends when they hold the text, or the stream did not come. */
async function follow(fleet: EmbeddedFleet, then: () => void, text: string): Promise<string> {
  const child = spawn(CLI, ['instance:logs', 'shop/default', '--follow', '--json'], {
    env: environment(fleet),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let live = ''
  for await (const line of child.stdout.setEncoding('utf8')) {
    if (String(line).includes('"logs.trouble"')) break
    if (live === '') then()
    live += String(line)
    if (live.includes(text)) break
  }
  child.kill('SIGINT')
  return live
}

test(
  'the Nodes of an embedded fleet have their agents, top shows them, and what is printed says so',
  onLinux,
  async () => {
    await using fleet = await startEmbedded()
    assert.match(fleet.output(), /fleet top\n {4}the Nodes live/)
    const wanted = ['gateway unknown', 'node-1 online', 'node-2 online']
    await inFirstMinute(async () => JSON.stringify(await agentsOf(fleet)) === JSON.stringify(wanted))
    assert.equal(await fleet.end('SIGTERM'), 0)
  },
)

test('the log of a framework is followed live by the agent of its Node', onLinux, async () => {
  await using fleet = await startEmbedded({ sample: true })
  const log = join(fleet.home, 'nodes/node-1/apps/shop/default/storage/logs/laravel.log')
  mkdirSync(dirname(log), { recursive: true })
  appendFileSync(log, '[2026-01-01 00:00:00] local.INFO: before\n')
  const later = (): void => appendFileSync(log, '[2026-01-01 00:00:01] local.INFO: while it is followed\n')
  let live = ''
  await inFirstMinute(async () => {
    live = await follow(fleet, later, 'while it is followed')
    return live.includes('while it is followed')
  })
  assert.match(live, /"log\.lines"[^]*local\.INFO: before/)
  assert.doesNotMatch(live, /"logs\.read"/)
})
