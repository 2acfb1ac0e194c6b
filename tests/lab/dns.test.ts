import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Dns, NodeExecutables, RouteName } from '@fleet/fleet'
import { addCluster, addRole, fakeCall, fakeExecutables, testDomains } from '@fleet/testing'
import { readManifest } from '../../apps/gateway/src/release/manifest.ts'
import { releaseExecutables } from '../../apps/gateway/src/release/executables.ts'
import { waitFor } from '../../lab/wait.ts'
import { addressFrom, askFrom } from './dns-question.ts'
import { OUTSIDE, startDnsServer } from './dns-server.ts'
import { builtRelease } from './install.ts'
import { fileOn, onHosts } from './site.ts'
import { type Member, startTunnelNet, type TunnelNet } from './tunnel-net.ts'

const CATALOG = '/var/lib/fleet/private-dns/catalog.json'
const LISTENER = 'fleet-private-dns.service'

interface Site extends AsyncDisposable {
  readonly net: TunnelNet
  readonly dns: Dns
  readonly routes: RouteName[]
  readonly hub: Member
  readonly member: Member
  readonly router: Member
  /** The same fleet, with another executable for Nodes. */
  withExecutables(executables: NodeExecutables): Dns
}

/** A hub with its private DNS, and a Cluster of a Router and a member that share a LAN. */
async function startSite(): Promise<Site> {
  await using stack = new AsyncDisposableStack()
  const folder = await builtRelease()
  const executables = releaseExecutables({ folder, manifest: readManifest(folder) })
  const net = stack.use(await startTunnelNet())
  stack.use(await startDnsServer(net.lab.addresses.machine))
  const hub = await net.enter('hub')
  const member = await net.enter('member', { lan_ip: '192.168.7.2', roles: ['app-dev'], tld: 'own' })
  const router = await net.enter('router', { lan_ip: '192.168.7.3' })
  for (const one of [hub, member, router]) await net.join(one)
  await addRole(net.store, { node_id: router.id, role: 'router' })
  await addCluster(net.store, { tld: 'berlin', state: 'active' }, [member, router])
  const settings = join(hub.host.root, 'etc/systemd/resolved.conf.d/uplink.conf')
  writeFileSync(settings, `[Resolve]\nDNS=${net.lab.addresses.machine}\n`)
  await hub.host.run(['systemctl', 'restart', 'systemd-resolved'])
  await hub.host.run(['sync'])
  const routes: RouteName[] = []
  const withExecutables: Site['withExecutables'] = (given) =>
    testDomains(
      { store: net.store, ssh: net.ssh, executables: given },
      { routeNames: { list: async () => routes } },
    ).dns
  const dns = withExecutables(executables)
  await dns.ensure(await net.session(hub))
  const owned = stack.move()
  return {
    net,
    dns,
    routes,
    hub,
    member,
    router,
    withExecutables,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const publish = ({ dns }: Site): Promise<void> => dns.names.publish(fakeCall())

/** What the fleet's DNS says to a member. */
const heard = ({ hub }: Site, by: Member, name: string): Promise<string> =>
  addressFrom(by.host, hub.address, name)

const onHub = ({ hub }: Site, path: string): string => readFileSync(join(hub.host.root, path), 'utf8')

// A machine that other work keeps busy takes three times as long.
test('private DNS on real machines', { ...onHosts, timeout: 600_000 }, async (context) => {
  await using site = await startSite()
  const { net, dns, routes, hub, member, router } = site

  await context.test(
    'each requester hears its own answer, over UDP and TCP [RTX-102, RTX-109, RTX-112]',
    async () => {
      for (const over of ['udp', 'tcp'] as const) {
        const asks = [member, router, hub].map(({ host }) =>
          addressFrom(host, hub.address, 'a.berlin', { over }),
        )
        assert.deepEqual(await Promise.all(asks), ['192.168.7.3', '192.168.7.3', router.address])
      }
      const stranger = await net.lab.host({ name: 'stranger', roles: ['vpn'] })
      await using _ = stranger
      await stranger.run(['ip', 'route', 'add', hub.address, 'via', hub.host.address])
      assert.equal(await addressFrom(stranger, hub.address, 'a.berlin'), router.address)
      const names = ['gateway.fleet', 'member.fleet', 'shop.own', 'metrics.fleet']
      const answers = await Promise.all(names.map((name) => heard(site, member, name)))
      assert.deepEqual(answers, [hub.address, member.address, member.address, OUTSIDE])
    },
  )

  await context.test('other names come from the machine’s own servers [RTX-102, RTX-107]', async () => {
    assert.equal(await heard(site, member, 'www.example'), OUTSIDE)
    const reply = await askFrom(member.host, hub.address, 'a.berlin', { type: 'AAAA' })
    assert.deepEqual([reply?.answers, reply?.authorities?.[0]?.type], [[], 'SOA'])
  })

  await context.test('units and files stand as they should [RTX-103, RTX-104]', async () => {
    const socket = onHub(site, '/etc/systemd/system/fleet-private-dns.socket')
    for (const line of ['FreeBind=yes', `ListenDatagram=${hub.address}:53`, `ListenStream=${hub.address}:53`])
      assert.ok(socket.includes(`${line}\n`), line)
    const unit = onHub(site, `/etc/systemd/system/${LISTENER}`)
    assert.match(unit, /^After=.*wg-quick@fleet\.service/m)
    assert.doesNotMatch(unit, /^(Requires|Wants)=/m)
    const [release = ''] = readdirSync(join(hub.host.root, 'var/lib/fleet/private-dns/releases'))
    assert.ok(unit.includes(`/releases/${release}/`))
    const inside = `/var/lib/fleet/private-dns/releases/${release}`
    await hub.host.run(['sh', '-c', `cd ${inside} && sha256sum -c .manifest`])
    assert.equal(statSync(join(hub.host.root, CATALOG)).mode & 0o777, 0o644)
  })

  await context.test('what stands costs one round trip to publish and two to ensure', async () => {
    net.asked.length = 0
    await publish(site)
    assert.deepEqual(net.asked.length, 1)
    await dns.ensure(await net.session(hub))
    assert.deepEqual(net.asked.length, 3)
  })

  await context.test('a published name is answered when the publication returns [RTX-105]', async () => {
    for (const domain of ['one.example', 'two.example']) {
      routes.push({ domain, nodeId: member.id })
      await publish(site)
      assert.equal(await heard(site, router, domain), member.address)
    }
  })

  await context.test('a listener that hangs is restarted behind its socket [RTX-105]', async () => {
    await hub.host.run(['systemctl', 'kill', '--signal=STOP', LISTENER])
    routes.push({ domain: 'three.example', nodeId: member.id })
    const asked = heard(site, router, 'one.example')
    await publish(site)
    assert.equal(await heard(site, router, 'three.example'), member.address)
    await asked
  })

  await context.test('a full disk keeps the earlier answers [RTX-105]', async () => {
    await hub.host.fillDisk()
    routes.push({ domain: 'four.example', nodeId: member.id })
    await assert.rejects(publish(site), { code: 'dns.write_failed' })
    assert.equal(await heard(site, router, 'three.example'), member.address)
    hub.host.freeDisk()
    await publish(site)
    assert.equal(await heard(site, router, 'four.example'), member.address)
  })

  await context.test('a broken catalog keeps the earlier answers, also over a restart', async () => {
    const whole = onHub(site, CATALOG)
    writeFileSync(join(hub.host.root, CATALOG), whole.slice(0, 40))
    await hub.host.run(['systemctl', 'restart', LISTENER])
    assert.equal(await heard(site, router, 'four.example'), member.address)
    await publish(site)
    assert.equal(onHub(site, CATALOG), whole)
  })

  await context.test('a release that does not start gives way to the one before it [RTX-114]', async () => {
    const before = onHub(site, `/etc/systemd/system/${LISTENER}`)
    const program = '#!/bin/sh\ncase "$*" in --version | *--self-test) exit 0 ;; esac\nexit 1\n'
    const broken = site.withExecutables(fakeExecutables({ program }))
    await assert.rejects(broken.ensure(await net.session(hub)), { code: 'dns.start_failed' })
    assert.equal(onHub(site, `/etc/systemd/system/${LISTENER}`), before)
    assert.equal(await heard(site, router, 'four.example'), member.address)
    const untried = site.withExecutables(fakeExecutables({ program: '#!/bin/sh\n[ "$1" = --version ]\n' }))
    await assert.rejects(untried.ensure(await net.session(hub)), { code: 'dns.self_test_failed' })
    assert.equal(await heard(site, router, 'four.example'), member.address)
    await dns.ensure(await net.session(hub))
  })

  await context.test('a killed machine answers again by itself when it is back', async () => {
    await hub.host.kill()
    await hub.host.revive()
    const questions = [
      [router, 'four.example', member.address],
      [member, 'www.example', OUTSIDE],
    ] as const
    for (const [by, name, address] of questions) {
      const answer = await waitFor(60, async () =>
        (await heard(site, by, name)) === address ? address : undefined,
      )
      assert.equal(answer, address)
    }
    net.asked.length = 0
    await publish(site)
    assert.equal(net.asked.length, 1)
  })

  await context.test('it goes without a trace', async () => {
    await dns.remove(await net.session(hub))
    assert.equal(await fileOn(hub.host, CATALOG), undefined)
    assert.equal(await heard(site, router, 'four.example'), 'no answer')
    await dns.remove(await net.session(hub))
  })
})
