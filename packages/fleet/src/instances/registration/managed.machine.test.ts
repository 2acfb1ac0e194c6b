import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { catalogue } from '@fleet/contract'
import { asCaller, fakeCall } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { startInstancesFleet } from '@fleet/testing/instances-fleet'

test('a registered checkout is managed: no operation gives it back, and its removal deletes the directory [INS-079]', async () => {
  const named = catalogue.filter(
    ({ group, name, path }) => group === 'Instances' && `${name} ${path}`.includes('regist'),
  )
  assert.deepEqual(
    named.map(({ name, method, path }) => `${name} ${method} ${path}`),
    ['instance:register POST /instances/register'],
  )
  await using fleet = await startInstancesFleet()
  const folder = join(fleet.home, 'src')
  mkdirSync(folder)
  const source = join(folder, 'mine')
  git(folder, ['clone', '-q', fleet.git.pathOf('app'), source])
  git(source, ['remote', 'set-url', 'origin', fleet.git.urlOf('app')])
  writeFileSync(join(source, 'untracked.txt'), 'work\n')
  const call = fakeCall({ caller: asCaller(fleet.node) })
  const { data } = await fleet.domain.handlers['instance:register']({ call, input: { source_path: source } })
  const { id, checkout_path: place } = data.app_instance
  await assert.rejects(fleet.destroy(id), { code: 'instance.remove_refused' })
  await fleet.destroy(id, true)
  assert.deepEqual([existsSync(place), existsSync(source)], [false, false])
  assert.deepEqual(await fleet.store.db.selectFrom('instances').select('id').execute(), [])
})
