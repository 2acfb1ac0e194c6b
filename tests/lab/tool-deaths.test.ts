import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { doctorReport } from '@fleet/contract'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'tld', nodes: [{ name: 'web', roles: [] }] })

/** Two versions of a package whose script lets the test see that it runs, and waits as long as the test wants; and plain ones. */
const REPOSITORY = `set -eu
mkdir -p /srv/fleet-deaths
cd /srv/fleet-deaths
for version in 1.0.0-1 1.1.0-1; do
  tree=$(mktemp -d)
  mkdir -p "$tree/DEBIAN"
  printf 'Package: fleet-slow\\nVersion: %s\\nArchitecture: all\\nMaintainer: Fleet <fleet@example.com>\\nDescription: test\\n' "$version" >"$tree/DEBIAN/control"
  printf '#!/bin/sh\\ntouch /srv/began\\nwhile [ -e /srv/hold ]; do sleep 0.1; done\\n' | tee "$tree/DEBIAN/postinst" >"$tree/DEBIAN/prerm"
  chmod 755 "$tree" "$tree/DEBIAN/postinst" "$tree/DEBIAN/prerm"
  dpkg-deb --build "$tree" "fleet-slow_$version.deb" >/dev/null
done
for number in 1 2 3; do
  tree=$(mktemp -d)
  mkdir -p "$tree/DEBIAN"
  printf 'Package: fleet-next%s\\nVersion: 1.0.0-1\\nArchitecture: all\\nMaintainer: Fleet <fleet@example.com>\\nDescription: test\\n' "$number" >"$tree/DEBIAN/control"
  chmod 755 "$tree"
  dpkg-deb --build "$tree" "fleet-next$number.deb" >/dev/null
done
echo 'deb [trusted=yes] file:/srv/fleet-deaths ./' >/etc/apt/sources.list.d/fleet-deaths.list
sync
`
/** The repository offers the package up to this version, also after a power cut. */
const offer = (host: Host, version: string): Promise<string> =>
  host.run([
    'sh',
    '-c',
    `cd /srv/fleet-deaths && for deb in fleet-slow_${version}.deb fleet-next*.deb; do
      dpkg-deb -f "$deb"; echo "Filename: ./$deb"; echo "Size: $(wc -c <"$deb")"; echo "SHA256: $(sha256sum "$deb" | cut -c 1-64)"; echo
    done >Packages &&
    apt-get -q -o Dir::Etc::sourcelist=/etc/apt/sources.list.d/fleet-deaths.list -o Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0 update >/dev/null && sync`,
  ])

/** Returns once the package's own script runs. */
async function scriptBegan(host: Host): Promise<void> {
  const isThere = async (): Promise<true | undefined> =>
    (await host.attempt(['test', '-e', '/srv/began'])).status === 0 || undefined
  assert.ok(await waitFor(60, isThere))
}

const nodeOf = async (fleet: InstalledFleet, host: Host): Promise<string> => {
  const nodes = await fleet.records('node:list')
  return String(nodes.find(({ name }) => name === host.name)?.['id'])
}

const slowTool = async (fleet: InstalledFleet, node: string) =>
  (await fleet.records('tool:list', node)).find((one) => one['package'] === 'fleet-slow')

/** The version that is installed whole; empty without one. */
const versionOn = async (host: Host): Promise<string> =>
  (await host.attempt(['dpkg-query', '-W', '-f', '${db:Status-Status} ${Version}', 'fleet-slow'])).stdout
    .replace(/^(?!installed ).*/, '')
    .replace('installed ', '')

test(
  'a gateway that is killed while apt installs, updates or removes leaves a Tool whose repeat brings record and machine together, and apt comes to its end meanwhile',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const gateway = fleet.gateway.host
    await host.run(['sh', '-c', REPOSITORY])
    const node = await nodeOf(fleet, host)
    const tool = () => slowTool(fleet, node)

    /** Kills the gateway in the middle of the package's own script, and lets that end afterwards. */
    const killedDuring = async (words: readonly [string, ...string[]]): Promise<void> => {
      await host.run(['sh', '-c', 'rm -f /srv/began; touch /srv/hold'])
      const request = fleet.gateway.fleet(words)
      await scriptBegan(host)
      await gateway.run(['systemctl', 'kill', '--kill-whom=main', '--signal=KILL', 'fleet-gateway'])
      assert.notEqual((await request).status, 0)
      await fleet.gateway.ready()
      // Nobody takes the package manager away from under it.
      assert.ok((await host.attempt(['pgrep', '-x', 'dpkg'])).status === 0, 'apt was ended with the gateway')
      await host.run(['rm', '/srv/hold'])
    }

    await offer(host, '1.0.0-1')
    const install = ['tool:install', node, 'apt', 'fleet-slow'] as const
    await killedDuring(install)
    assert.notEqual((await tool())?.['status'], 'installed')
    const made = await fleet.record(...install)
    assert.deepEqual(
      [made['status'], made['installed_version'], made['error_code']],
      ['installed', '1.0.0-1', null],
    )
    assert.equal(await versionOn(host), '1.0.0-1')

    await offer(host, '1.1.0-1')
    const id = String(made['id'])
    await killedDuring(['tool:update', id])
    assert.equal((await tool())?.['installed_version'], '1.0.0-1')
    const updated = await fleet.record('tool:update', id)
    assert.deepEqual(
      [updated['status'], updated['installed_version'], updated['error_code']],
      ['installed', '1.1.0-1', null],
    )
    assert.equal(await versionOn(host), '1.1.0-1')

    const remove = ['tool:remove', id, '--yes'] as const
    await killedDuring(remove)
    assert.notEqual(await tool(), undefined)
    assert.equal((await fleet.record(...remove))['status'], 'removed')
    assert.deepEqual([await tool(), await versionOn(host)], [undefined, ''])
    assert.equal(await host.run(['dpkg', '--audit']), '')
  },
)

test(
  'a power cut in the middle of an installation, an update and a removal leaves a Tool that Doctor reports and whose repeat finishes, and a machine that installs other packages before that',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    await host.run(['sh', '-c', REPOSITORY])
    const node = await nodeOf(fleet, host)
    const slow = () => slowTool(fleet, node)

    /** Cuts the power in the middle of the package's own script; another package is installed afterwards. */
    const cutDuring = async (
      words: readonly [string, ...string[]],
      next: string,
      version: string | null,
    ): Promise<void> => {
      await host.run(['sh', '-c', 'rm -f /srv/began; touch /srv/hold'])
      const request = fleet.refused(...words)
      await scriptBegan(host)
      await host.kill()
      await request
      await host.revive()
      await host.run(['rm', '-f', '/srv/hold'])
      const left = await slow()
      assert.notEqual(left?.['status'], 'installed')
      assert.equal(left?.['installed_version'], version)
      const report = doctorReport.parse(await fleet.record('doctor', '--families', 'tool', '--node', node))
      const found = report.nodes.flatMap(({ families }) => families.flatMap(({ issues }) => issues))
      assert.deepEqual(
        found.map(({ code, resource_name }) => [code, resource_name]),
        [['tool.lifecycle_not_active', 'apt fleet-slow']],
      )
      assert.equal((await fleet.record('tool:install', node, 'apt', next))['status'], 'installed')
      assert.equal(await host.run(['dpkg', '--audit']), '')
    }

    await offer(host, '1.0.0-1')
    const install = ['tool:install', node, 'apt', 'fleet-slow'] as const
    await cutDuring(install, 'fleet-next1', null)
    const made = await fleet.record(...install)
    assert.deepEqual(
      [made['status'], made['error_code'], await versionOn(host)],
      ['installed', null, '1.0.0-1'],
    )

    await offer(host, '1.1.0-1')
    const id = String(made['id'])
    await cutDuring(['tool:update', id], 'fleet-next2', '1.0.0-1')
    const updated = await fleet.record('tool:update', id)
    assert.deepEqual(
      [updated['status'], updated['installed_version'], updated['error_code'], await versionOn(host)],
      ['installed', '1.1.0-1', null, '1.1.0-1'],
    )

    const remove = ['tool:remove', id, '--yes'] as const
    await cutDuring(remove, 'fleet-next3', '1.1.0-1')
    assert.equal((await fleet.record(...remove))['status'], 'removed')
    assert.deepEqual([await slow(), await versionOn(host)], [undefined, ''])
    assert.equal(await host.run(['dpkg', '--audit']), '')
  },
)
