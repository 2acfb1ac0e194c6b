import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startWorld } from '#/deployments/world.test.ts'

/**
 * Stands for `sync`: tells of each flush of a storage what was selected, and whether the release was complete. The one that begins in the
 * release is not over before a step of the deployment has run.
 */
const SYNC = `#!/bin/bash
[ "$1" = -f ] || exit 0
selected=$(readlink HOME_OF_IT/current || echo none)
mark=$(cat HOME_OF_IT/releases/*/.git/orbit/release 2>/dev/null || echo partial)
if [[ $PWD == HOME_OF_IT/releases/* && ! -e $LOG.first ]]; then
  touch "$LOG.first"
  echo "begun $selected $mark" >>"$LOG"
  for try in {1..400}; do [ -e "$LOG.step" ] && exit; sleep 0.05; done
  echo 'nobody works meanwhile' >>"$LOG"
else
  echo "flushed $selected $mark" >>"$LOG"
fi
`

test('the steps of a deployment work while its release goes to the disk, and it is selected once all of it is there [DEPL-011]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-flush-'))
  const log = join(folder, 'log')
  const path = `${folder}:${process.env['PATH'] ?? ''}`
  await using world = await startWorld({}, { PATH: path, LOG: log })
  writeFileSync(join(folder, 'sync'), SYNC.replaceAll('HOME_OF_IT', world.home))
  chmodSync(join(folder, 'sync'), 0o755)
  await world.steps({ name: 'build', command: `touch ${log}.step` })
  assert.equal((await world.deploy()).failure, undefined)
  const told = readFileSync(log, 'utf8').trim().split('\n')
  assert.ok(told.includes('begun none partial') && !told.includes('nobody works meanwhile'), told.join())
  const before = told.filter((line) => line.includes(' none '))
  assert.equal(before.at(-1), 'flushed none complete')
  rmSync(folder, { recursive: true })
})
