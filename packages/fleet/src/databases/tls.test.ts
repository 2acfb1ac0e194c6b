import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type CodedError, systemClock } from '@fleet/kernel'
import { ensureRoot } from '@fleet/pki'
import { DatabaseFailure } from '@fleet/database-access'
import { forEachDialect } from '@fleet/testing'
import { register, startInspectionWorld } from '#/databases/inspection-world.test.ts'
import { create, REGISTRATIONS, show, startWorld, type World } from '#/databases/world.test.ts'

async function authorityOf(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-authority-'))
  const { certificate } = await ensureRoot({ directory, clock: systemClock, name: 'Test root' })
  rmSync(directory, { recursive: true })
  return certificate
}

const shown = async (world: World, slug: string): Promise<readonly unknown[]> => {
  const { tls, has_tls_ca } = await show(world, slug)
  return [tls, has_tls_ca]
}

forEachDialect(
  'who names an authority has the server verified, unless another mode is named',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const tls_ca = await authorityOf()
    await create(world, { ...REGISTRATIONS.mysql, tls_ca })
    assert.deepEqual(await shown(world, 'my'), ['verify-full', true])
    const update = world.databases.handlers['database:update']
    const changed = async (input: object): Promise<readonly unknown[]> => {
      await update({ call: world.call(), input: { slug: 'my', ...input } })
      return shown(world, 'my')
    }
    assert.deepEqual(await changed({ tls: 'verify-ca' }), ['verify-ca', true])
    assert.deepEqual(await changed({ tls: null }), ['verify-full', true])
    assert.deepEqual(await changed({ tls_ca: null }), ['verify-full', undefined])
    assert.deepEqual(await changed({ tls: 'require' }), ['require', undefined])
    assert.deepEqual(await changed({ tls: 'prefer' }), [undefined, undefined])
    assert.deepEqual(await changed({ tls: 'disable' }), ['disable', undefined])
    // What another driver does not take is dropped.
    await changed({ driver: 'sqlite', path: '/srv/a.sqlite' })
    assert.deepEqual(await shown(world, 'my'), [undefined, undefined])
  },
)

test('modes and authorities that do not go together are refused, and drivers without TLS take neither', async () => {
  await using world = await startWorld()
  const tls_ca = await authorityOf()
  const broken = tls_ca.replace('MII', 'AAA')
  for (const [registration, given, member] of [
    ['pgsql', { tls: 'verify-ca' }, 'tls_ca'],
    ['pgsql', { tls: 'require', tls_ca }, 'tls_ca'],
    ['mysql', { tls: 'disable', tls_ca }, 'tls_ca'],
    ['mysql', { tls_ca: broken }, 'tls_ca'],
    ['sqlite', { tls: 'require' }, 'tls'],
    ['redis', { tls_ca }, 'tls_ca'],
  ] as const)
    await assert.rejects(create(world, { ...REGISTRATIONS[registration], ...given }), (error: CodedError) => {
      assert.equal(error.code, 'validation.failed')
      assert.ok(
        Object.keys(Object(error.details?.['errors'])).includes(member),
        JSON.stringify(error.details),
      )
      return true
    })
})

test('the engines get what the connection asks for, and a refused certificate says what helps', async () => {
  await using world = await startInspectionWorld()
  const slug = await register(world, 'mysql')
  const authority = await authorityOf()
  const { handlers } = world.databases
  const query = () => handlers['database:query']({ call: world.call(), input: { slug, sql: 'select 1' } })
  world.access.answer('select 1', { columns: [], rows: [], row_count: 0, truncated: false })
  await query()
  await handlers['database:update']({ call: world.call(), input: { slug, tls_ca: authority } })
  await query()
  assert.deepEqual(
    world.access.asked.map(({ target }) => target.engine !== 'sqlite' && target.tls),
    [
      { mode: 'prefer', host: 'db.internal' },
      { mode: 'verify-full', host: 'db.internal', authority },
    ],
  )
  world.access.answer('select 1', () => {
    throw new DatabaseFailure('database.query_failed', 'Safe text.', {
      reason: 'tls',
      condition: 'CERT_HAS_EXPIRED',
    })
  })
  await assert.rejects(query(), {
    code: 'database.query_failed',
    message: /^Safe text\. .*`fleet database:update the-mysql --tls MODE --tls-ca CERTIFICATES`\.$/,
    details: { reason: 'tls', condition: 'CERT_HAS_EXPIRED' },
  })
})
