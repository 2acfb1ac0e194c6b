import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { doctorReport } from '@fleet/contract'
import type { JsonObject } from '../embedded/ask.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'tls',
  nodes: [
    { name: 'web', roles: ['app-prod'] },
    { name: 'next', roles: [], suite: 'trixie' },
  ],
})

/** A Node with a role, and one of the next release of Debian. */
const NODES = ['web', 'next'] as const

/** A repository of packages that were made for this test, which the host trusts. */
const REPOSITORY = `set -eu
repo=/srv/fleet-repo
mkdir -p "$repo"
build() { # name version control-lines postinst more
  tree=$(mktemp -d)
  mkdir -p "$tree/DEBIAN"
  printf 'Package: %s\\nVersion: %s\\nArchitecture: all\\nMaintainer: Fleet <fleet@example.com>\\nDescription: test\\n%b' "$1" "$2" "$3" >"$tree/DEBIAN/control"
  if [ -n "$4" ]; then printf '#!/bin/sh\\n%s\\n' "$4" >"$tree/DEBIAN/postinst"; chmod 755 "$tree/DEBIAN/postinst"; fi
  (cd "$tree" && eval "\${5-}")
  chmod 755 "$tree"
  dpkg-deb --build "$tree" "$repo/$1_$2.deb" >/dev/null
  rm -rf "$tree"
}
index() {
  cd "$repo"
  : >Packages
  for deb in *.deb; do
    { dpkg-deb -f "$deb"; echo "Filename: ./$deb"; echo "Size: $(wc -c <"$deb")"; echo "SHA256: $(sha256sum "$deb" | cut -c 1-64)"; echo; } >>Packages
  done
  # The other sources of a host may not answer.
  apt-get -q -o Dir::Etc::sourcelist=/etc/apt/sources.list.d/fleet-test.list -o Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0 update >/dev/null
  sync
}
`
/** What debconf asks at its highest priority. */
const TEMPLATES =
  'printf "Template: fleet-debconf/sure\\nType: boolean\\nDefault: false\\nDescription: Really?\\n" >DEBIAN/templates'
const BASE = `${REPOSITORY}
build fleet-good 1.0.0-1 '' ''
build fleet-far 1.0.0-1 '' ''
build fleet-needs 1.0.0-1 'Depends: fleet-good\\n' ''
build fleet-conflict 1.0.0-1 'Conflicts: openssh-server\\n' ''
build fleet-broken 1.0.0-1 '' 'test -e /srv/mended'
build fleet-asks 1.0.0-1 '' 'printf "really? "; read -r answer </dev/tty || read -r answer || answer=default; echo "$answer" >/srv/answer'
build fleet-debconf 1.0.0-1 '' '. /usr/share/debconf/confmodule; db_input critical fleet-debconf/sure || :; db_go || :; db_get fleet-debconf/sure; echo "$RET" >/srv/chosen' '${TEMPLATES}'
build fleet-conf 1.0.0-1 '' '' 'mkdir etc; echo one >etc/fleet-conf; echo /etc/fleet-conf >DEBIAN/conffiles'
build fleet-slow 1.0.0-1 '' 'touch /srv/began; test -e /srv/mended || sleep 600'
echo 'deb [trusted=yes] copy:/srv/fleet-repo ./' >/etc/apt/sources.list.d/fleet-test.list
index
`

const sh = (host: Host, script: string): Promise<string> => host.run(['sh', '-c', script])

async function nodeId(fleet: InstalledFleet, { name }: Host): Promise<string> {
  const nodes = await fleet.records('node:list')
  return String(nodes.find((node) => node['name'] === name)?.['id'])
}

const stateOf = (host: Host, name: string): Promise<string> =>
  sh(host, `dpkg-query -W -f '\${db:Status-Status}' ${name} 2>/dev/null || :`)

async function issues(fleet: InstalledFleet): Promise<readonly string[]> {
  const report = doctorReport.parse(await fleet.record('doctor', '--families', 'tool'))
  return report.nodes.flatMap(({ families }) =>
    families.flatMap((family) => family.issues.map(({ code }) => code)),
  )
}

/** Nothing that the Node lives from is gone, and dpkg has nothing left to finish. */
async function requireWhole(host: Host): Promise<void> {
  for (const name of ['openssh-server', 'sudo', 'ufw', 'wireguard-tools'])
    assert.equal(await stateOf(host, name), 'installed', name)
  assert.equal(await sh(host, 'dpkg --audit'), '')
}

for (const name of NODES)
  test(
    `real packages are installed, updated and removed by apt, none takes another with it, and questions get their default, on the Node ${name}`,
    onHosts,
    async () => {
      const fleet = started()
      const host = fleet.node(name)
      await sh(host, BASE)
      const node = await nodeId(fleet, host)
      const install = (...words: readonly string[]): Promise<JsonObject> =>
        fleet.record('tool:install', node, 'apt', ...words)
      const good = await install('fleet-good', '--version-constraint', '^1')
      assert.deepEqual(
        [good['status'], good['installed_version'], good['outcome']],
        ['installed', '1.0.0-1', 'applied'],
      )
      await sh(host, `${REPOSITORY}build fleet-good 1.1.0-1 '' ''\nindex`)
      const updated = await fleet.record('tool:update', String(good['id']))
      assert.deepEqual([updated['installed_version'], updated['outcome']], ['1.1.0-1', 'applied'])
      await sh(host, `apt-mark hold fleet-good\n${REPOSITORY}build fleet-good 1.2.0-1 '' ''\nindex`)
      const held = await fleet.record('tool:update', String(good['id']))
      assert.deepEqual(
        [held['status'], held['installed_version'], held['outcome']],
        ['installed', '1.1.0-1', 'unchanged'],
      )
      await sh(host, `apt-mark unhold fleet-good\n${REPOSITORY}build fleet-good 2.0.0-1 '' ''\nindex`)
      const blocked = await fleet.record('tool:update', String(good['id']))
      assert.deepEqual(
        [blocked['installed_version'], blocked['outcome']],
        ['1.1.0-1', 'blocked_by_constraint'],
      )
      await sh(host, 'apt-get -q -y install fleet-needs >/dev/null')
      const unsafe = await fleet.refused('tool:remove', String(good['id']), '--yes')
      assert.deepEqual(
        [unsafe.code, unsafe.details['would_remove']],
        ['tool.removal_plan_unsafe', ['fleet-needs']],
      )
      const conflict = await fleet.refused('tool:install', node, 'apt', 'fleet-conflict')
      assert.deepEqual([conflict.code, conflict.details['reason']], ['tool.install_failed', 'would_remove'])
      assert.equal((await install('fleet-asks'))['status'], 'installed')
      assert.equal((await sh(host, 'cat /srv/answer')).trim(), 'default')
      assert.equal((await install('fleet-debconf'))['status'], 'installed')
      assert.equal((await sh(host, 'cat /srv/chosen')).trim(), 'false')
      const conf = await install('fleet-conf')
      await sh(
        host,
        `${REPOSITORY}build fleet-conf 1.1.0-1 '' '' 'mkdir etc; echo two >etc/fleet-conf; echo /etc/fleet-conf >DEBIAN/conffiles'\nindex\necho mine >/etc/fleet-conf`,
      )
      assert.equal((await fleet.record('tool:update', String(conf['id'])))['installed_version'], '1.1.0-1')
      assert.equal(await sh(host, 'cat /etc/fleet-conf'), 'mine\n')
      await requireWhole(host)
      await sh(host, 'apt-get -q -y remove fleet-needs >/dev/null')
      assert.equal((await fleet.record('tool:remove', String(good['id']), '--yes'))['status'], 'removed')
      assert.notEqual(await stateOf(host, 'fleet-good'), 'installed')
      await requireWhole(host)
    },
  )

for (const node of NODES)
  test(
    `a script that fails, a power cut in the middle and a repository that is gone leave a Tool whose repeat finishes, and a machine that installs, on the Node ${node}`,
    onHosts,
    async () => {
      const fleet = started()
      const host = fleet.node(node)
      await sh(host, `rm -f /srv/mended\n${BASE}`)
      const id = await nodeId(fleet, host)
      const broken = await fleet.refused('tool:install', id, 'apt', 'fleet-broken')
      assert.equal(broken.code, 'tool.install_failed')
      const cut = fleet.refused('tool:install', id, 'apt', 'fleet-slow')
      await waitFor(120, async () =>
        (await host.attempt(['test', '-e', '/srv/began'])).status === 0 ? true : undefined,
      )
      await host.kill()
      await cut
      await host.revive()
      await sh(host, 'touch /srv/mended')
      assert.ok((await issues(fleet)).includes('tool.lifecycle_not_active'))
      for (const name of ['fleet-broken', 'fleet-slow']) {
        const done = await fleet.record('tool:install', id, 'apt', name)
        assert.deepEqual([done['status'], done['error_code']], ['installed', null], name)
      }
      await requireWhole(host)

      // Its lists still name the package: those of `file:` would be links into what is gone.
      await sh(host, 'mv /srv/fleet-repo /srv/fleet-repo-gone')
      const gone = await fleet.refused('tool:install', id, 'apt', 'fleet-far')
      assert.equal(gone.code, 'tool.install_failed')
      const failed = (await fleet.records('tool:list', id)).find((one) => one['package'] === 'fleet-far')
      assert.deepEqual([failed?.['status'], failed?.['installed_version']], ['failed', null])
      assert.notEqual(await stateOf(host, 'fleet-far'), 'installed')
      await requireWhole(host)
      await sh(host, 'mv /srv/fleet-repo-gone /srv/fleet-repo')
      assert.equal((await fleet.record('tool:install', id, 'apt', 'fleet-far'))['status'], 'installed')
      await requireWhole(host)

      await sh(host, 'dpkg --remove fleet-slow >/dev/null')
      assert.ok((await issues(fleet)).includes('tool.not_installed'))
      const tools = await fleet.records('tool:list', id)
      const slow = tools.find((one) => one['package'] === 'fleet-slow')
      await fleet.record('tool:update', String(slow?.['id']))
      assert.deepEqual(
        (await issues(fleet)).filter((code) => code === 'tool.not_installed'),
        [],
      )
    },
  )

test(
  'an app role brings Composer as a manager, and no manager goes with the role [TLX-014, TLX-018]',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const node = await nodeId(fleet, host)
    const managers = async () =>
      (await fleet.records('tool:manager:list', node)).map((one) => [one['name'], one['status']])
    const ready = [
      ['apt', 'active'],
      ['composer', 'active'],
      ['vp', 'uninstalled'],
      ['brew', 'uninstalled'],
    ]
    assert.deepEqual(await managers(), ready)
    await fleet.record('node:role:remove', node, 'app-prod', '--yes')
    assert.deepEqual(await managers(), ready)
    const home = await host.run(['stat', '-c', '%U %a', '/opt/orbit/composer'])
    assert.equal(home, 'fleet 755\n')
    assert.match(
      await host.run(['runuser', '-u', 'fleet', '--', 'composer', '--version']),
      /^Composer version/m,
    )
    await fleet.record('node:role:add', node, 'app-prod')
  },
)
