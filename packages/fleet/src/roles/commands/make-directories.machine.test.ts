import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { localPool, localSession } from '@fleet/testing'
import { makeDirectories } from '#/roles/commands/make-directories.ts'

/** Makes the directories in a folder of its own; answers the reason of a refusal. */
async function withFolder(
  work: (folder: string, problem: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-directories-'))
  const session = localSession(localPool({ home: folder }))
  const paths = { settings: join(folder, 'settings'), homes: join(folder, 'homes') }
  mkdirSync(paths.homes, { mode: 0o755 })
  try {
    await work(folder, async () => {
      try {
        await session.ask(makeDirectories, paths)
        return undefined
      } catch (error) {
        assert.ok(error instanceof CodedError && error.code === 'node_role.directory_unsafe')
        return error.details?.['reason']
      }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8)

test('the settings directory is made passable and not readable, whatever it was before', () =>
  withFolder(async (folder, problem) => {
    const settings = join(folder, 'settings')
    assert.equal(await problem(), undefined)
    assert.equal(modeOf(settings), '711')
    chmodSync(settings, 0o700)
    assert.equal(await problem(), undefined)
    assert.equal(modeOf(settings), '711')
  }))

test('a link in the place of either directory is refused and stays', () =>
  withFolder(async (folder, problem) => {
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o711 })
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'settings'))
    assert.equal(await problem(), 'settings_unsafe')
    rmSync(join(folder, 'settings'))
    rmSync(join(folder, 'homes'), { recursive: true })
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'homes'))
    assert.equal(await problem(), 'homes_unsafe')
  }))

test('a root of homes in which others can write is refused and left as it is', () =>
  withFolder(async (folder, problem) => {
    for (const mode of [0o775, 0o757]) {
      chmodSync(join(folder, 'homes'), mode)
      assert.equal(await problem(), 'homes_unsafe')
      assert.equal(modeOf(join(folder, 'homes')), mode.toString(8))
    }
  }))
