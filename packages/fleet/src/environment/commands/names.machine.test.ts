import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { localPool, localSession, type NameChanges, nameChanges } from '@fleet/testing'
import { inspectFile } from '#/environment/commands/inspect-file.ts'
import { writeFile } from '#/environment/commands/write-file.ts'
import type { NodeSession } from '#/nodes/api.ts'

interface Ground {
  readonly session: NodeSession
  readonly names: NameChanges
  readonly place: {
    readonly user: string
    readonly root: string
    readonly directory: string
    readonly file: '.env'
  }
  readonly at: (name: string) => string
}

/** An application directory on a machine that notes every change of a name, and every flush. */
function ground(t: TestContext): Ground {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-names-')))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const names = nameChanges(home)
  const pool = localPool({ home, env: { PATH: `${names.bin}:/usr/bin:/bin` } })
  const root = join(home, 'apps')
  mkdirSync(join(root, 'app'), { recursive: true })
  return {
    session: localSession(pool),
    names,
    place: { user: userInfo().username, root, directory: 'app', file: '.env' },
    at: (name) => join(root, 'app', name),
  }
}

test('the name of a written file is on the disk before the write counts [ENV-045]', async (t) => {
  const { session, names, place, at } = ground(t)
  for (const before of [undefined, Buffer.from('A="1"\n')])
    await session.ask(writeFile, { place, attempt: 'a1', before, content: 'A="1"\n' })
  assert.ok(existsSync(at('.env')))
  assert.deepEqual(names.unflushed(), [])
})

test('what a power cut left beside the file is gone for good once a check has removed it', async (t) => {
  const { session, names, place, at } = ground(t)
  for (const name of ['.env.fleet-sync-0123456789abcdef', '.env.fleet-0193a5c2-7b1e-7cc0-8d2f-1f0a5f3c9e11'])
    writeFileSync(at(name), 'SECRET="x"\n')
  await session.ask(inspectFile, { place, bytes: 10 })
  assert.deepEqual(readdirSync(at('.')), [])
  assert.deepEqual(names.unflushed(), [])
})

test('a change that nothing flushes is seen', async (t) => {
  const { session, names, at } = ground(t)
  writeFileSync(at('a'), '')
  await session.run({ line: `mv ${at('a')} ${at('b')}; sync ${at('b')}`, shown: 'mv' })
  assert.deepEqual(names.unflushed(), [at('.').replace(/\/\.$/, '')])
})
