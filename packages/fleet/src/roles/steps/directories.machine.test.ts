import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { localPool, localSession } from '@fleet/testing'
import { makeDirectories } from '#/roles/steps/directories.ts'

/** Answers whether the directories are ready, in a folder of its own. */
async function withFolder(
  work: (folder: string, isReady: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-directories-'))
  const session = localSession(localPool({ home: folder }))
  const paths = { settings: join(folder, 'settings'), homes: join(folder, 'homes') }
  mkdirSync(paths.homes, { mode: 0o755 })
  try {
    await work(folder, async () => {
      const { exitCode, stdout } = await session.asRoot(makeDirectories(paths))
      return exitCode === 0 && stdout.toString() === 'ready\n'
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8)

test('the settings directory is made passable and not readable, whatever it was before', () =>
  withFolder(async (folder, isReady) => {
    const settings = join(folder, 'settings')
    assert.ok(await isReady())
    assert.equal(modeOf(settings), '711')
    chmodSync(settings, 0o700)
    assert.ok(await isReady())
    assert.equal(modeOf(settings), '711')
  }))

test('a link in the place of either directory is refused and stays', () =>
  withFolder(async (folder, isReady) => {
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o711 })
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'settings'))
    assert.ok(!(await isReady()))
    rmSync(join(folder, 'settings'))
    rmSync(join(folder, 'homes'), { recursive: true })
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'homes'))
    assert.ok(!(await isReady()))
  }))

test('a root of homes in which others can write is refused and left as it is', () =>
  withFolder(async (folder, isReady) => {
    for (const mode of [0o775, 0o757]) {
      chmodSync(join(folder, 'homes'), mode)
      assert.ok(!(await isReady()))
      assert.equal(modeOf(join(folder, 'homes')), mode.toString(8))
    }
  }))
