import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { doctorReport } from '@fleet/contract'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { reaches, resolved, tunnelAddress } from './facts.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const DOMAIN = 'mail.internal'
const UPSTREAM = 'http://127.0.0.1:8025'
/** Debian's Caddy is older than what is supported, and says so wherever it serves. */
const NOTICE = 'role.caddy_version_unsupported'

const started = shareFleet({
  name: 'rte',
  nodes: [
    { name: 'web', roles: ['app-prod'] },
    { name: 'guest', roles: ['app-prod'] },
  ],
})

/**
 * A service in Debian's own language: it says under which name it was asked, sends one event and a second one late, or repeats
 * a line over a connection that was upgraded.
 */
const SERVICE = `use IO::Socket::INET; $SIG{CHLD} = "IGNORE";
my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1:8025", Listen => 9, ReuseAddr => 1) or die;
while (my $c = $s->accept) { next if fork; $c->autoflush; my ($h, $up, $path) = ("", 0, "");
while (<$c>) { last if /^\\r?$/; $path = $1 if /^GET (\\S+)/; $h = $1 if /^host: (\\S+)/i; $up = 1 if /^upgrade:/i }
if ($up) { print $c "HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n"; my $l = <$c>; print $c "again $l" }
elsif ($path eq "/events") { print $c "HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\n\\r\\ndata: early\\n\\n"; sleep 20; print $c "data: late\\n\\n" }
else { my $b = "asked for $h"; print $c "HTTP/1.1 200 OK\\r\\nContent-Length: " . length($b) . "\\r\\nConnection: close\\r\\n\\r\\n$b" }
close $c; exit }`

const serve = (host: Host): Promise<unknown> =>
  host.run(['systemd-run', '--unit=mail-service', '--collect', 'perl', '-e', SERVICE])
const silence = (host: Host): Promise<unknown> => host.run(['systemctl', 'stop', 'mail-service'])

const request = (path: string, connection = 'close'): string =>
  `printf 'GET ${path} HTTP/1.1\\r\\nHost: ${DOMAIN}\\r\\nConnection: ${connection}\\r\\n\\r\\n'`

/** What a visitor on the Node gets for a request: its own resolver, its own trust. */
async function ask(host: Host, sent: string, { address = DOMAIN, seconds = 10 } = {}): Promise<string> {
  const verified = `openssl s_client -quiet -verify_return_error -verify_hostname ${DOMAIN} -servername ${DOMAIN}`
  const line = `{ ${sent}; } | timeout ${seconds} ${verified} -connect ${address}:443 2>/dev/null`
  return (await host.attempt(['sh', '-c', line])).stdout
}

/** The body under the domain. */
async function visit(host: Host, address = DOMAIN): Promise<string> {
  const answer = await ask(host, request('/'), { address })
  return answer.split('\r\n\r\n')[1] ?? `no answer: ${answer}`
}

async function codesOf(fleet: InstalledFleet): Promise<readonly string[]> {
  const report = doctorReport.parse(await fleet.record('doctor'))
  const codes: readonly string[] = report.nodes.flatMap(({ families }) =>
    families.flatMap(({ issues }) => issues.map(({ code }) => code)),
  )
  return codes.toSorted()
}

const assertOnly = async (fleet: InstalledFleet, ...codes: readonly string[]): Promise<void> => {
  await waitFor(20, async () =>
    (await codesOf(fleet)).join(' ') === codes.toSorted().join(' ') ? true : undefined,
  )
  assert.deepEqual(await codesOf(fleet), codes.toSorted())
}

async function route(
  fleet: InstalledFleet,
  context: TestContext,
): Promise<{ readonly web: Host; readonly guest: Host }> {
  const [web, guest] = [fleet.node('web'), fleet.node('guest')]
  await serve(web)
  context.after(async () => {
    await silence(web).catch(() => undefined)
    await fleet.gateway.fleet(['route:destroy', DOMAIN, '--yes', '--offline'])
  })
  await fleet.record('route:create', DOMAIN, '--node', web.name, '--upstream', UPSTREAM)
  return { web, guest }
}

test(
  'a person names a service of a Node, and another Node opens it by its domain over a certificate of the fleet [RTE-001, RTE-161, RTE-162, RTX-097, RTX-099]',
  onHosts,
  async (context) => {
    const fleet = started()
    const began = performance.now()
    const { web, guest } = await route(fleet, context)
    assert.equal(await visit(guest), `asked for ${DOMAIN}`)
    context.diagnostic(`created and answered in ${(performance.now() - began).toFixed(0)} ms`)
    assert.equal(await resolved(guest, DOMAIN), await tunnelAddress(fleet, web.name))
    const plain = `exec 3<>/dev/tcp/${DOMAIN}/80 && ${request('/x')} >&3 && timeout 5 cat <&3`
    assert.match(
      await guest.run(['bash', '-c', plain]),
      /^HTTP\/1\.1 308 [^]*Location: https:\/\/mail\.internal\/x\r\n/,
    )
    const upgrade = request('/', 'Upgrade\\r\\nUpgrade: websocket')
    assert.match(
      await ask(guest, `${upgrade}; sleep 1; echo hello; sleep 2`),
      /^HTTP\/1\.1 101 [^]*again hello/,
      'an upgraded connection goes both ways',
    )
    const events = await ask(guest, `${request('/events')}; sleep 8`, { seconds: 8 })
    assert.match(events, /data: early/, 'an answer arrives while it is being made')
    assert.doesNotMatch(events, /data: late/)
    await assertOnly(fleet, NOTICE)

    await silence(web)
    await assertOnly(fleet, NOTICE, 'route.upstream_unreachable')
    await serve(web)

    await fleet.record('route:destroy', DOMAIN, '--yes')
    // An answer may be kept for as long as it says, 30 s.
    const isForgotten = async () => ((await resolved(guest, DOMAIN)) === undefined ? true : undefined)
    assert.equal(await waitFor(40, isForgotten), true)
    assert.match(await visit(web, await tunnelAddress(fleet, web.name)), /^no answer/)
    assert.equal((await web.run(['ls', '/etc/fleet/certificates'])).includes('route-'), false)
    await assertOnly(fleet)
  },
)

test(
  'what the web server of a Node counts is read at port 2019 of its loopback alone, by the path of Prometheus [RTX-079]',
  onHosts,
  async (context) => {
    const { web, guest } = await route(started(), context)
    const counted = async (): Promise<number> => {
      const asked = `import urllib.request; print(urllib.request.urlopen('http://localhost:2019/metrics', timeout=10).read().decode())`
      const lines = (await web.run(['python3', '-c', asked])).split('\n')
      const counts = lines.filter((line) => /^caddy_http_requests_total\{.*\} \d+$/.test(line))
      return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    }
    const before = await counted()
    for (const _visit of [1, 2, 3]) await visit(guest)
    // The proxy and what is around it count by themselves.
    assert.ok((await counted()) >= before + 3, `${before} and then ${await counted()}`)
    const address = await tunnelAddress(started(), web.name)
    assert.equal(await reaches(guest, address, 443), true)
    assert.equal(await reaches(guest, address, 2019), false)
  },
)

test(
  'an edit by hand, a lost certificate and a foreign file are found, repaired by converge, and what was there is kept [DRF-032, RTX-077]',
  onHosts,
  async (context) => {
    const fleet = started()
    const { web, guest } = await route(fleet, context)
    await web.run(['sh', '-c', `echo '# by hand' >>"$(readlink -f /etc/caddy/Caddyfile)"`])
    await assertOnly(fleet, NOTICE, 'role.caddy_build_drift')
    await fleet.record('node:converge', web.name, '--force')
    await assertOnly(fleet, NOTICE)
    assert.match(await web.run(['sh', '-c', 'cat /etc/caddy/fleet-backups/*/Caddyfile']), /# by hand/)

    // A site that Caddy cannot open: its unit stays `reloading`, and takes no other reload (decision 0370).
    const stuck = `https://foreign.test {\n\tbind 203.0.113.9\n\ttls internal\n}`
    await web.run(['sh', '-c', `printf '${stuck}\\n' >>"$(readlink -f /etc/caddy/Caddyfile)"`])
    await web.attempt(['timeout', '20', 'systemctl', 'reload', 'caddy'])
    const stateOf = async () => (await web.attempt(['systemctl', 'is-active', 'caddy'])).stdout.trim()
    assert.equal(await stateOf(), 'reloading')
    await assertOnly(
      fleet,
      NOTICE,
      'role.caddy_build_drift',
      'role.services_inactive',
      'route.caddy_mismatch',
    )
    const began = performance.now()
    await fleet.record('route:create', 'second.internal', '--node', web.name, '--upstream', UPSTREAM)
    assert.ok(performance.now() - began < 30_000, 'it waits for no reload without an end')
    assert.equal(await stateOf(), 'active')
    await fleet.record('route:destroy', 'second.internal', '--yes')
    await assertOnly(fleet, NOTICE)

    await web.run(['sh', '-c', 'rm -r /etc/fleet/certificates/route-* && systemctl restart caddy || true'])
    assert.ok((await codesOf(fleet)).includes('route.certificate_mismatch'))
    await fleet.record('node:converge', web.name, '--force')
    await assertOnly(fleet, NOTICE)
    assert.equal(await visit(guest), `asked for ${DOMAIN}`)
  },
)

test(
  'a Route of a dead Node is removed offline in seconds, and the machine is clean once it is back and converges [RTE-056, RTE-057, RTE-174, RTE-178]',
  onHosts,
  async (context) => {
    const fleet = started()
    const { web } = await route(fleet, context)
    await web.kill()
    const { code, details } = await fleet.refused('route:destroy', DOMAIN, '--yes')
    assert.deepEqual([code, details['step']], ['route.node_unreachable', 'caddy'])
    const began = performance.now()
    const removal = await fleet.record('route:destroy', DOMAIN, '--yes', '--offline')
    assert.ok(performance.now() - began < 30_000, 'it does not wait for the machine')
    assert.deepEqual(
      (removal['retained_on_nodes'] as readonly { readonly node: string }[]).map(({ node }) => node), // The record of the contract.
      [web.name],
    )
    await web.revive()
    await waitFor(60, async () =>
      (await codesOf(fleet)).includes('node.route_residue_retained') ? true : undefined,
    )
    await waitFor(60, async () =>
      (await fleet.gateway.fleet(['node:converge', web.name])).status === 0 ? true : undefined,
    )
    assert.equal((await web.run(['ls', '/etc/fleet/certificates'])).includes('route-'), false)
    assert.doesNotMatch(await web.run(['cat', '/etc/caddy/Caddyfile']), /mail\.internal/)
    await assertOnly(fleet)
  },
)
