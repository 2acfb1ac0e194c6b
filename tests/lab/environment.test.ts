import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { APPS, asUser, type LabFleet, startLabFleet } from './fleet.ts'
import { onHosts } from './site.ts'

const CHECKOUT = `${APPS}/shop/default`
const FILE = `${CHECKOUT}/.env`
const SYNC = ['POST', '/instances/1/environment/sync', {}] as const
const SECRET = 'canary-4b1f'

/** A fleet with an Instance whose checkout has a `.env` file that its user wrote. */
async function withInstance(name: string, work: (fleet: LabFleet) => Promise<void>): Promise<void> {
  await using fleet = await startLabFleet(name)
  await fleet.send('POST', '/instances', { project_id: 1, node_id: fleet.nodeId, name: 'default' })
  await asUser(fleet.host, `umask 022; cat >${FILE}`, `GREETING=hello\nTOKEN=${SECRET}\n`)
  await work(fleet)
}

/** Imports the file and changes a value, so that the next synchronization has something to write. */
async function changed({ send }: LabFleet): Promise<void> {
  await send('POST', '/instances/1/environment/import', {})
  await send('PUT', '/instances/1/environment/GREETING', { value: 'changed' })
}

/** Mode, owner, group and content of the file, as root sees them. */
const state = async (host: Host): Promise<string> =>
  (await host.run(['stat', '--format=%a %U %G', FILE])) + (await host.run(['cat', FILE]))

/** Names of the checkout, to see that no candidate stays. */
const names = (host: Host): Promise<string> => host.run(['ls', '-A', CHECKOUT])

const AS_WRITTEN = `644 fleet fleet\nGREETING=hello\nTOKEN=${SECRET}\n`
const AS_SYNCHRONIZED = `600 fleet fleet\nGREETING="changed"\nTOKEN="${SECRET}"\n`

/** Asserts that the synchronization is refused and everything as before, and that the repair lets the same request finish. */
async function refusedUntil(
  fleet: LabFleet,
  refusal: { readonly code: string; readonly reason: string },
  harm: () => Promise<unknown>,
  repair: () => Promise<unknown>,
): Promise<void> {
  const { host } = fleet
  const before = await names(host)
  await harm()
  const found = await state(host)
  const { code, details } = await fleet.refused(...SYNC)
  const node = { id: fleet.nodeId, name: host.name }
  const place = refusal.code === 'env.source_unsafe' ? { path: FILE, user: 'fleet' } : {}
  assert.deepEqual(
    { code, details },
    { code: refusal.code, details: { node, reason: refusal.reason, ...place } },
  )
  assert.deepEqual([await state(host), await names(host)], [found, before])
  await repair()
  assert.equal((await fleet.send(...SYNC))['changed'], true)
  assert.deepEqual([await state(host), await names(host)], [AS_SYNCHRONIZED, before])
}

test(
  'over a real sshd the file is imported, replaced with mode 0600 and its owner, and then left alone [ENV-045]',
  onHosts,
  () =>
    withInstance('env-sync', async (fleet) => {
      const { host, send } = fleet
      assert.equal(await state(host), AS_WRITTEN)
      await changed(fleet)
      assert.equal(await state(host), AS_WRITTEN)
      assert.equal((await send(...SYNC))['changed'], true)
      assert.equal(await state(host), AS_SYNCHRONIZED)
      const written = await host.run(['stat', '--format=%i %z', FILE])
      assert.equal((await send(...SYNC))['changed'], false)
      assert.equal(await host.run(['stat', '--format=%i %z', FILE]), written)
      const log = await host.run(['journalctl', '--no-pager', '--output=cat'])
      assert.ok(!log.includes(SECRET), 'no value stands in the log of the Node')
    }),
)

test('a file that belongs to root is neither read nor replaced', onHosts, () =>
  withInstance('env-foreign', async (fleet) => {
    const { host } = fleet
    await host.run(['chown', 'root:root', FILE])
    const { code, details } = await fleet.refused('POST', '/instances/1/environment/import', {})
    assert.deepEqual(
      [code, details],
      [
        'env.source_unsafe',
        { node: { id: fleet.nodeId, name: host.name }, reason: 'foreign_owner', path: FILE, user: 'fleet' },
      ],
    )
    await host.run(['chown', 'fleet:fleet', FILE])
    await changed(fleet)
    await refusedUntil(
      fleet,
      { code: 'env.source_unsafe', reason: 'foreign_owner' },
      () => host.run(['chown', 'root:root', FILE]),
      () => host.run(['chown', 'fleet:fleet', FILE]),
    )
  }),
)

test('a checkout on storage that became read-only keeps its file until it is writable again', onHosts, () =>
  withInstance('env-read-only', async (fleet) => {
    const { host } = fleet
    await changed(fleet)
    await refusedUntil(
      fleet,
      { code: 'env.write_failed', reason: 'storage_read_only' },
      () =>
        host.run(['sh', '-ec', `mount --bind ${CHECKOUT} ${CHECKOUT}; mount -o remount,bind,ro ${CHECKOUT}`]),
      () => host.run(['umount', CHECKOUT]),
    )
  }),
)

test('a full disk keeps the old file whole, and the same request finishes when there is room', onHosts, () =>
  withInstance('env-full', async (fleet) => {
    const { host } = fleet
    await changed(fleet)
    await refusedUntil(
      fleet,
      { code: 'env.write_failed', reason: 'storage_full' },
      () => host.fillDisk(),
      () => Promise.resolve(host.freeDisk()),
    )
  }),
)

test('a host that is cut off, or has another key, is named and its file is as it was', onHosts, () =>
  withInstance('env-silent', async (fleet) => {
    const { host } = fleet
    await changed(fleet)
    const details = { node: { id: fleet.nodeId, name: host.name }, addresses: [`${host.address}:22`] }
    await host.cutOff()
    assert.deepEqual(await fleet.refused(...SYNC), { code: 'node.unreachable', details })
    await host.restore()
    await host.swapHostKey()
    assert.deepEqual(await fleet.refused(...SYNC), { code: 'node.ssh_host_key_changed', details })
    assert.equal(await state(host), AS_WRITTEN)
    await host.restoreHostKey()
    assert.equal((await fleet.send(...SYNC))['changed'], true)
    assert.equal(await state(host), AS_SYNCHRONIZED)
  }),
)
