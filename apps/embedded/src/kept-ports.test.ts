import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { KeptPortTaken, openKept } from './kept-ports.ts'

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

const ssh = (file: string) => ({ file, service: 'ssh', first: 2222, mayMove: true }) as const
const git = (file: string) => ({ file, service: 'git', first: 8480, mayMove: false }) as const

test('the first run takes the first free port and later runs the same one, though an earlier one is free by then', async (context) => {
  const file = fileFor(context)
  const first = await openKept(git(file), openUnless(8480, 8481))
  assert.deepEqual(first, { port: 8482, opened: 'service on 8482' })
  assert.deepEqual(await openKept(git(file), openUnless()), first)
})

test('services keep their ports side by side', async (context) => {
  const file = fileFor(context)
  await openKept(ssh(file), openUnless(2222))
  await openKept(git(file), openUnless(8480))
  assert.equal((await openKept(ssh(file), openUnless())).port, 2223)
  assert.equal((await openKept(git(file), openUnless())).port, 8481)
})

test('a service whose port others may have written down does not move from a taken one', async (context) => {
  const file = fileFor(context)
  await openKept(git(file), openUnless())
  await assert.rejects(openKept(git(file), openUnless(8480)), KeptPortTaken)
  assert.equal((await openKept(git(file), openUnless())).port, 8480)
})

test('a service that may move leaves a taken port and stays on the next', async (context) => {
  const file = fileFor(context)
  await openKept(ssh(file), openUnless())
  assert.equal((await openKept(ssh(file), openUnless(2222))).port, 2223)
  assert.equal((await openKept(ssh(file), openUnless())).port, 2223)
})

test('a failure that is no taken port is passed on and keeps nothing', async (context) => {
  const file = fileFor(context)
  const failure = new Error('no such address')
  await assert.rejects(
    openKept(ssh(file), () => Promise.reject(failure)),
    failure,
  )
  assert.equal((await openKept(ssh(file), openUnless(2222))).port, 2223)
})

test('a broken file only costs the earlier choice', async (context) => {
  const file = fileFor(context)
  writeFileSync(file, '{"ssh":')
  assert.equal((await openKept(ssh(file), openUnless())).port, 2222)
})

test('a range without a free port is reported', async (context) => {
  const taken = () => Promise.reject(Object.assign(new Error('taken'), { code: 'EADDRINUSE' }))
  await assert.rejects(openKept(ssh(fileFor(context)), taken), /No port is free for ssh from 2222 to 2421/)
})
