import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fakeCall, nodeRecord } from '@fleet/testing'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { requireMovable } from '#/instances/transfer/movable.ts'
import { repositoryIdentity } from '#/projects/api.ts'
import { inspect } from './inspect.ts'

const PATH = '/srv/shop/web/storage/framework'
const NODE = nodeRecord({ id: 3, name: 'web' })

const ORIGIN = 'https://git.example.com/acme/shop.git'
const facts = {
  origin: ORIGIN,
  head: 'refs/heads/main',
  cleanliness: 'clean',
  worktrees: 0,
  heads: 'x',
  kept: PATH,
}

const ROW = { checkout_path: '/srv/shop/web', preparation_id: 'p', profile: null }

/** A Node on which a folder of the checkout is another account's. */
const checkout = {
  session: {
    node: NODE,
    call: fakeCall(),
    ask: async ({ source }: { readonly source: string }) =>
      source.includes('examine transfer')
        ? { word: 'kept', path: PATH, isDetached: true }
        : { word: 'inspected', facts },
  },
  project: { repository_url: ORIGIN, repository_identity: repositoryIdentity(ORIGIN) },
} as unknown as CheckoutSession // What is read of it.

test('a folder of another account refuses a removal, forced or not, and a transfer, and is named', async () => {
  const row = { ...ROW, selected_branch: 'main' } as unknown as InstanceRow // What is read of one.
  const named = { node: { id: 3, name: 'web' }, reason: 'foreign_owner', path: PATH }
  for (const force of [true, false])
    await assert.rejects(
      inspect(checkout, row, { force, safeHeads: 'x', logins: { login: () => assert.fail() } }),
      {
        code: 'instance.source_ownership_mismatch',
        message: /chown -R/,
        details: named,
      },
    )
  await assert.rejects(requireMovable(checkout, { checkoutPath: '/srv/shop/web', preparationId: 'p' }), {
    code: 'instance.source_failed',
    details: { ...named, step: 'examine' },
  })
})

const NOBODY = '65534'

test(
  'a folder of another account is in the way when something is in it that cannot be deleted',
  { skip: process.getuid?.() !== 0 && 'only root can give a folder away' },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'fleet-kept-'))
    const [theirs, empty] = [join(folder, 'public/theirs'), join(folder, 'empty')]
    for (const path of [theirs, empty]) mkdirSync(path, { recursive: true })
    for (const path of [folder, join(folder, 'public')]) chownSync(path, Number(NOBODY), Number(NOBODY))
    const library = readFileSync(join(import.meta.dirname, '../commands/checkout.sh'), 'utf8')
    const program = /^unremovable\(\).*$/m.exec(library)?.[0] ?? assert.fail()
    const found = (): string => {
      const options = ['--reuid', NOBODY, '--regid', NOBODY, '--clear-groups', '--']
      const command = ['sh', '-c', `${program}\nunremovable "$1"`, 'sh', folder]
      return spawnSync('setpriv', [...options, ...command], { encoding: 'utf8', cwd: '/' }).stdout.trim()
    }
    // An empty one can be removed, and a file by whoever has its folder.
    writeFileSync(join(folder, 'public/file'), '')
    assert.equal(found(), '')
    writeFileSync(join(theirs, 'file'), '')
    assert.equal(found(), theirs)
    chmodSync(theirs, 0o777)
    assert.equal(found(), '')
    rmSync(folder, { recursive: true })
  },
)
