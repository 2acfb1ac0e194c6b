import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../../lab/wait.ts'
import type { Host } from '../../lab/index.ts'
import { shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'tll',
  nodes: [
    { name: 'web', roles: [] },
    { name: 'shop', roles: [] },
  ],
})

/** A package of this test, in a repository on the host itself. */
const REPOSITORY = `set -eu
mkdir -p /srv/fleet-lock/tree/DEBIAN
cd /srv/fleet-lock
printf 'Package: fleet-late\\nVersion: 1.0.0-1\\nArchitecture: all\\nMaintainer: Fleet <fleet@example.com>\\nDescription: test\\n' >tree/DEBIAN/control
dpkg-deb --build tree late.deb >/dev/null
{ dpkg-deb -f late.deb; echo 'Filename: ./late.deb'; echo "Size: $(wc -c <late.deb)"; echo "SHA256: $(sha256sum late.deb | cut -c 1-64)"; echo; } >Packages
echo 'deb [trusted=yes] file:/srv/fleet-lock ./' >/etc/apt/sources.list.d/fleet-lock.list
apt-get -q -o Dir::Etc::sourcelist=/etc/apt/sources.list.d/fleet-lock.list -o Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0 update >/dev/null
`

/** Holds the lock as dpkg itself does, under a name of its own. */
const HOLDER = `$0 = 'slow-upgrade'; open(my $lock, '>>', '/var/lib/dpkg/lock-frontend') or die; my $whole = pack('s s x4 q q i x4', 1, 0, 0, 0, 0); fcntl($lock, 6, $whole) or die; sleep 3600`

interface Holder {
  readonly process_id: number
  readonly program: string
}

/** Locked until the work has ended. */
async function whileLocked(host: Host, work: (holder: Holder) => Promise<void>): Promise<void> {
  const start = 'setsid perl -e "$1" </dev/null >/dev/null 2>&1 & echo $!'
  const processId = Number(await host.run(['sh', '-c', start, 'sh', HOLDER]))
  try {
    await waitFor(20, async () => {
      const { stdout } = await host.attempt(['sh', '-c', 'apt-get -q check 2>&1'])
      return stdout.includes(`process ${processId} (slow-upgrade)`) ? true : undefined
    })
    await work({ process_id: processId, program: 'slow-upgrade' })
  } finally {
    await host.attempt(['kill', String(processId)])
  }
}

const isThere = async (host: Host): Promise<boolean> =>
  (await host.attempt(['dpkg', '-s', 'fleet-late'])).status === 0

test(
  'a package database that somebody keeps locked for longer than apt waits leaves records, roles and machines in agreement and names who has it, and the same commands succeed afterwards',
  onHosts,
  async () => {
    const fleet = started()
    const [without, having] = [fleet.node('web'), fleet.node('shop')]
    // It has what the role needs but for one small package.
    const bare = await fleet.earlierNode({ name: 'bare', roles: ['app-prod'] })
    await fleet.enroll(bare, { name: 'bare', roles: [] })
    await bare.run(['dpkg', '--remove', 'acl'])
    const nodes = await fleet.records('node:list')
    const idOf = (host: Host): string => String(nodes.find((one) => one['name'] === host.name)?.['id'])
    for (const host of [without, having]) await host.run(['sh', '-c', REPOSITORY])
    const install = ['tool:install', idOf(without), 'apt', 'fleet-late'] as const
    const there = await fleet.record('tool:install', idOf(having), 'apt', 'fleet-late')
    const remove = ['tool:remove', String(there['id']), '--yes'] as const
    const recorded = async (host: Host) => {
      const [tool] = await fleet.records('tool:list', idOf(host))
      return tool && [tool['status'], tool['failed_operation'], tool['error_code'], tool['installed_version']]
    }
    const addRole = async (): Promise<void> => {
      await whileLocked(bare, async (holder) => {
        const { code, details } = await fleet.refused('node:role:add', idOf(bare), 'app-prod')
        assert.deepEqual(
          [code, details['step'], details['error_code'], details['holder']],
          ['node_role.convergence_failed', 'packages', 'node_role.tool_manager_locked', holder],
        )
      })
      assert.equal((await fleet.record('node:role:add', idOf(bare), 'app-prod'))['status'], 'active')
    }
    // Each Tool waits for five minutes, and a role for one.
    await Promise.all([
      addRole(),
      whileLocked(without, async (holder) => {
        const { code, details } = await fleet.refused(...install)
        assert.deepEqual(
          [code, details['reason'], details['holder']],
          ['tool.install_failed', 'locked', holder],
        )
        assert.equal(await isThere(without), false)
        assert.deepEqual(await recorded(without), ['failed', 'install', 'tool.install_failed', null])
      }),
      whileLocked(having, async (holder) => {
        const { code, details } = await fleet.refused(...remove)
        assert.deepEqual(
          [code, details['reason'], details['holder']],
          ['tool.remove_failed', 'locked', holder],
        )
        assert.ok(await isThere(having))
        assert.deepEqual(await recorded(having), ['failed', 'remove', 'tool.remove_failed', '1.0.0-1'])
      }),
    ])
    const done = await fleet.record(...install)
    assert.deepEqual([done['status'], done['error_code']], ['installed', null])
    assert.ok(await isThere(without))
    assert.equal((await fleet.record(...remove))['status'], 'removed')
    assert.equal(await isThere(having), false)
    for (const host of [without, having]) assert.equal(await host.run(['dpkg', '--audit']), '')
  },
)
