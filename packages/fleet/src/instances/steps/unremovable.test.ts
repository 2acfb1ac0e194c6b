import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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

test('a file that the account may not read refuses a transfer before anything stops, and is named', async () => {
  const session = { node: NODE, call: fakeCall(), ask: async () => ({ word: 'unreadable', path: PATH }) }
  const source = { session } as unknown as CheckoutSession // What is read of it.
  await assert.rejects(requireMovable(source, { checkoutPath: '/srv/shop/web', preparationId: 'p' }), {
    code: 'instance.source_failed',
    message: /may not read \/srv\/shop\/web\/storage\/framework, .*chown -R/,
    details: { node: { id: 3, name: 'web' }, reason: 'foreign_owner', path: PATH, step: 'examine' },
  })
})

const NOBODY = '65534'

/** What a question of the scripts on checkouts finds below a folder, asked by an account that owns nothing else. */
function foundBy(name: 'unremovable' | 'unreadable', folder: string): string {
  const library = readFileSync(join(import.meta.dirname, '../commands/checkout.sh'), 'utf8')
  const program = new RegExp(`^${name}\\(\\).*$`, 'm').exec(library)?.[0] ?? assert.fail()
  const options = ['--reuid', NOBODY, '--regid', NOBODY, '--clear-groups', '--']
  const command = ['sh', '-c', `${program}\n${name} "$1"`, 'sh', folder]
  return spawnSync('setpriv', [...options, ...command], { encoding: 'utf8', cwd: '/' }).stdout.trim()
}

test(
  'a file of another account is in the way of a transfer when it cannot be read, and a link that leads to one is not',
  { skip: process.getuid?.() !== 0 && 'only root can give a file away' },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'fleet-unreadable-'))
    const file = join(folder, 'file')
    writeFileSync(file, '')
    symlinkSync('/etc/shadow', join(folder, 'link'))
    chownSync(folder, Number(NOBODY), Number(NOBODY))
    assert.equal(foundBy('unreadable', folder), '')
    chmodSync(file, 0o600)
    assert.equal(foundBy('unreadable', folder), file)
    rmSync(folder, { recursive: true })
  },
)

test(
  'a folder of another account is in the way when something is in it that cannot be deleted',
  { skip: process.getuid?.() !== 0 && 'only root can give a folder away' },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'fleet-kept-'))
    const [theirs, empty] = [join(folder, 'public/theirs'), join(folder, 'empty')]
    for (const path of [theirs, empty]) mkdirSync(path, { recursive: true })
    for (const path of [folder, join(folder, 'public')]) chownSync(path, Number(NOBODY), Number(NOBODY))
    const found = (): string => foundBy('unremovable', folder)
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
