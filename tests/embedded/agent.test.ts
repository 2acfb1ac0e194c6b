import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { systemClock } from '@fleet/kernel'
import { eventually } from '@fleet/testing'
import { type EmbeddedFleet, startEmbedded } from './harness.ts'

const CLI = resolve(import.meta.dirname, '../../fleet')
const onLinux = { skip: process.platform !== 'linux' && 'agents are for Linux' }

const environment = (fleet: EmbeddedFleet) => ({ ...process.env, FLEET_HOME: fleet.home })

async function top(fleet: EmbeddedFleet): Promise<string> {
  const { stdout } = await promisify(execFile)(CLI, ['top', '--json'], { env: environment(fleet) })
  return stdout
}

test('the Nodes of an embedded fleet have their agents, and top shows them', onLinux, async () => {
  await using fleet = await startEmbedded()
  await systemClock.sleep(4000)
  console.log(await top(fleet))
  assert.match(fleet.output(), /fleet top\n {4}the Nodes live/)
  assert.equal(await fleet.end('SIGTERM'), 0)
})

test('a live log of the framework is read by the agent of its Node', onLinux, async () => {
  await using fleet = await startEmbedded({ sample: true })
  const log = join(fleet.home, 'nodes/node-1/apps/shop/default/storage/logs/laravel.log')
  mkdirSync(dirname(log), { recursive: true })
  appendFileSync(log, '[2026-01-01 00:00:00] local.INFO: before\n')
  const child = spawn(CLI, ['instance:logs', 'shop/default', '--follow', '--json'], {
    env: environment(fleet),
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text))
  try {
    await eventually(() => printed.includes('local.INFO: before'))
    appendFileSync(log, '[2026-01-01 00:00:01] local.INFO: while it is followed\n')
    await eventually(() => printed.includes('while it is followed'))
    console.log(printed)
  } finally {
    child.kill('SIGINT')
  }
})
