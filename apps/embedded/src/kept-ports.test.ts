import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openKept } from './kept-ports.ts'
import { StartRefused } from './refusal.ts'

const fileFor = (context: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-ports-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'ports.json')
}

/** Opens any port but the taken ones, as a listener would. */
const openUnless =
  (...taken: readonly number[]) =>
  async (port: number): Promise<string> => {
    if (taken.includes(port)) throw Object.assign(new Error('taken'), { code: 'EADDRINUSE' })
    return `service on ${port}`
  }

test('the first run takes the first free port and later runs the same one, though an earlier one is free by then', async (context) => {
  const file = fileFor(context)
  const first = await openKept(file, 'ssh', 2222, openUnless(2222, 2223))
  assert.deepEqual(first, { port: 2224, opened: 'service on 2224' })
  assert.deepEqual(await openKept(file, 'ssh', 2222, openUnless()), first)
})

test('services keep their ports side by side', async (context) => {
  const file = fileFor(context)
  await openKept(file, 'ssh', 2222, openUnless())
  await openKept(file, 'git', 8480, openUnless(8480))
  assert.equal((await openKept(file, 'ssh', 9000, openUnless())).port, 2222)
  assert.equal((await openKept(file, 'git', 9000, openUnless())).port, 8481)
})

test('a kept port that is taken refuses the start and names it', async (context) => {
  const file = fileFor(context)
  await openKept(file, 'git', 8480, openUnless())
  await assert.rejects(openKept(file, 'git', 8480, openUnless(8480)), (error) => {
    assert.ok(error instanceof StartRefused)
    assert.match(error.message, /^Port 8480, on which this fleet serves git, is taken/)
    return true
  })
})

test('a failure that is no taken port is passed on and keeps nothing', async (context) => {
  const file = fileFor(context)
  const failure = new Error('no such address')
  await assert.rejects(
    openKept(file, 'ssh', 2222, () => Promise.reject(failure)),
    failure,
  )
  assert.equal((await openKept(file, 'ssh', 3000, openUnless())).port, 3000)
})

test('a broken file only costs the earlier choice', async (context) => {
  const file = fileFor(context)
  writeFileSync(file, '{"ssh":')
  assert.equal((await openKept(file, 'ssh', 2222, openUnless())).port, 2222)
})
