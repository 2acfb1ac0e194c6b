import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { localPool, localSession } from '@fleet/testing'
import { checkAppsRoot } from '#/nodes/commands/apps-root.ts'

const folder = (context: TestContext): string => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'fleet apps-')))
  context.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** The answer, or the reason of the refusal. */
async function ask(home: string, path: string, mayCreate: boolean): Promise<unknown> {
  try {
    return await localSession(localPool({ home })).ask(checkAppsRoot, { path, mayCreate })
  } catch (error) {
    assert.ok(error instanceof CodedError && error.code === 'node.settings_root_failed')
    return error.details?.['reason']
  }
}

const modeOf = (path: string): number => statSync(path).mode & 0o777

test('missing directories are made with mode 0755, then accepted as they are [NODE-109]', async (context) => {
  const home = folder(context)
  const path = join(home, "it's", '-n', 'apps')
  assert.equal(await ask(home, path, true), 'created')
  assert.deepEqual([path, join(path, '..'), join(path, '..', '..')].map(modeOf), [0o755, 0o755, 0o755])
  assert.equal(await ask(home, path, true), 'accepted')
})

test('without the right to make it a missing path is refused and stays missing [NODE-109]', async (context) => {
  const home = folder(context)
  assert.equal(await ask(home, join(home, 'a/b'), false), 'missing')
  assert.equal(existsSync(join(home, 'a')), false)
})

test('an existing directory keeps its mode [NODE-110]', async (context) => {
  const home = folder(context)
  const path = join(home, 'apps')
  mkdirSync(path)
  chmodSync(path, 0o700)
  assert.equal(await ask(home, path, false), 'accepted')
  assert.equal(modeOf(path), 0o700)
})

test('a link is refused as the path, in it, and above what would be made [NODE-110]', async (context) => {
  const home = folder(context)
  mkdirSync(join(home, 'real/apps'), { recursive: true })
  symlinkSync(join(home, 'real'), join(home, 'link'))
  assert.equal(await ask(home, join(home, 'link'), true), 'symbolic_link')
  assert.equal(await ask(home, join(home, 'link/apps'), true), 'symbolic_link')
  assert.equal(await ask(home, join(home, 'link/new'), true), 'symbolic_link')
  assert.equal(existsSync(join(home, 'real/new')), false)
  symlinkSync(join(home, 'nowhere'), join(home, 'dangling'))
  assert.equal(await ask(home, join(home, 'dangling'), true), 'symbolic_link')
})

test('a file in its place or above it is refused [NODE-110]', async (context) => {
  const home = folder(context)
  writeFileSync(join(home, 'file'), '')
  assert.equal(await ask(home, join(home, 'file'), true), 'not_a_directory')
  assert.equal(await ask(home, join(home, 'file/apps'), true), 'not_a_directory')
})

for (const mode of [0o775, 0o757, 0o777, 0o1777]) {
  test(`a directory with mode ${mode.toString(8)} is refused [NODE-110]`, async (context) => {
    const home = folder(context)
    const path = join(home, 'apps')
    mkdirSync(path)
    chmodSync(path, mode)
    assert.equal(await ask(home, path, true), 'writable_by_others')
  })
}

test("another user's directory is refused [NODE-110]", async (context) => {
  const home = folder(context)
  const path = process.getuid?.() === 0 ? join(home, 'apps') : '/'
  if (path !== '/') {
    mkdirSync(path)
    chownSync(path, 65534, 65534)
  }
  assert.equal(await ask(home, path, true), 'foreign_owner')
})

test('a failure in the middle takes away what it made [NODE-109]', async (context) => {
  const home = folder(context)
  // A name longer than any file system takes.
  assert.equal(await ask(home, join(home, 'a/b', 'x'.repeat(300)), true), 'create_failed')
  assert.equal(existsSync(join(home, 'a')), false)
})
