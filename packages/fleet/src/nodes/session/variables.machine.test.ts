import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { allScripts } from '#/nodes/session/all-scripts.test.ts'

const isThere = spawnSync('shellcheck', ['--version']).status === 0

test(
  'no script uses a variable that neither it nor its libraries set',
  { skip: !isThere && 'shellcheck is not installed: apt-get install shellcheck' },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'fleet-variables-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const all = [...(await allScripts())]
    assert.ok(all.length > 0)
    const files = all.map(([name, { source }]) => {
      const file = join(folder, `${name.replaceAll(/[^\w-]+/g, '_')}.sh`)
      writeFileSync(file, source)
      return file
    })
    const options = ['--norc', '--shell=sh', '--include=SC2154', '--format=gcc']
    assert.equal(spawnSync('shellcheck', [...options, ...files]).stdout.toString(), '')
  },
)
