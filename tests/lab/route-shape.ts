import assert from 'node:assert/strict'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import type { JsonObject } from '../embedded/ask.ts'
import { addressFrom } from './dns-question.ts'
import type { InstalledFleet } from './installed.ts'
import { page } from './shop.ts'

/** A fleet whose Routes are changed while something happens to its hosts. */
export interface RouteWorld {
  readonly fleet: InstalledFleet
  /** By the names that a table of changes has for them; `gateway` is one of them. */
  readonly hosts: ReadonlyMap<string, Host>
  /** Asks for names and pages, and nothing happens to its answers. */
  readonly visitor: Host
  /** Tunnel address of the private DNS. */
  readonly dns: string
  /** Every domain that a change may give to a Route. */
  readonly domains: readonly string[]
}

/** Of a Node: its file, its certificates with their names, and the sockets of its pools. */
const LOOK = `
[ ! -e /etc/caddy/Caddyfile ] || grep -v '^# Managed' /etc/caddy/Caddyfile
for leaf in /etc/fleet/certificates/*/leaf.pem; do
  [ -e "$leaf" ] || continue
  scope=\${leaf%/leaf.pem}
  echo "leaf \${scope##*/} $(openssl x509 -noout -ext subjectAltName -in "$leaf" | tail -n 1)"
done
ls /run/php 2>/dev/null | grep -v '[.]pid$'
true
`
const LEAF = /^leaf ((?:app-instance|route)-\S+) DNS:(\S+)$/

/** The ids of records are other ones after every change. */
const withoutIds = (text: string): string =>
  text
    .replaceAll(/(instance|route|store|hostname)-\d+/g, '$1-N')
    .replaceAll(/releases\/[\d-]+/g, 'releases/R')

async function linesOf(host: Host): Promise<readonly string[]> {
  const lines = (await host.run(['sh', '-c', LOOK])).split('\n')
  return lines.map((line) => line.trim()).filter((line) => line !== '')
}

/** Where a domain leads, and with what a visitor is answered there. */
async function answerOf({ visitor, dns }: RouteWorld, domain: string): Promise<string | undefined> {
  const address = await addressFrom(visitor, dns, domain)
  if (!/^\d/.test(address)) return undefined
  const [status] = (await page(visitor, domain, '/', address)).split(' ')
  return `${domain} leads to ${address}, which answers ${status}`
}

const domainsOf = ({ domains }: RouteWorld, routes: readonly JsonObject[]): readonly string[] => [
  ...new Set([...domains, ...routes.map(({ domain }) => String(domain))]),
]

const answersOf = async (world: RouteWorld, domains: readonly string[]): Promise<readonly string[]> =>
  (await Promise.all(domains.map((domain) => answerOf(world, domain)))).filter(
    (answer) => answer !== undefined,
  )

/** Every name below the top-level domain of a Node or a Cluster has an answer, whether a Route has it or not. */
async function isBelowTld({ visitor, dns }: RouteWorld, domain: string): Promise<boolean> {
  const nobody = `nobody-has-this.${domain.split('.').slice(1).join('.')}`
  return (await addressFrom(visitor, dns, nobody)) === (await addressFrom(visitor, dns, domain))
}

const recordOf = (route: JsonObject): string => {
  const { domain, publication, status, failed_step, error_code, replacement_step, targets } = route
  const led = Array.isArray(targets) ? targets.length : 0
  return ['route', domain, publication, status, failed_step, error_code, replacement_step, led].join(' ')
}

async function recordsOf({ fleet }: RouteWorld): Promise<readonly string[]> {
  const [routes, clusters] = [await fleet.records('route:list'), await fleet.records('cluster:list')]
  const rest = clusters.map(({ created_at: _at, updated_at: _then, ...cluster }) => JSON.stringify(cluster))
  return [...routes.map(recordOf), ...rest].toSorted()
}

/** All that records, machines, names and visitors say of the Routes, a line for each thing. */
export async function shapeOf(world: RouteWorld): Promise<readonly string[]> {
  const routes = await world.fleet.records('route:list')
  const nodes = [...world.hosts].filter(([name]) => name !== 'gateway')
  const machines = await Promise.all(
    nodes.map(async ([name, host]) => (await linesOf(host)).map((line) => `${name}: ${withoutIds(line)}`)),
  )
  // Sites are in the order of Routes, and another domain is another Route.
  return [
    ...(await recordsOf(world)),
    ...machines.flat(),
    ...(await answersOf(world, domainsOf(world, routes))),
  ].toSorted()
}

/** Waits until everything is as it was another time; what else it is when the time is over. */
export async function becomes(
  world: RouteWorld,
  wanted: readonly string[],
  seconds: number,
): Promise<readonly string[] | undefined> {
  const isSame = async (): Promise<true | undefined> =>
    sameLines(await shapeOf(world), wanted) ? true : undefined
  if ((await waitFor(seconds, isSame)) === true) return undefined
  const found = await shapeOf(world)
  return [
    ...found.filter((line) => !wanted.includes(line)).map((line) => `+ ${line}`),
    ...wanted.filter((line) => !found.includes(line)).map((line) => `- ${line}`),
  ]
}

const sameLines = (one: readonly string[], other: readonly string[]): boolean =>
  one.join('\n') === other.join('\n')

/** No domain has two Routes, and whatever has a name is answered under it, however a change ended. */
export async function assertPromisesKept(world: RouteWorld): Promise<void> {
  const routes = await world.fleet.records('route:list')
  const domains = routes.map(({ domain }) => String(domain))
  assert.deepEqual(domains, [...new Set(domains)], 'a domain has one Route')
  const promised: string[] = []
  for (const domain of domainsOf(world, routes))
    if (domains.includes(domain) || !(await isBelowTld(world, domain))) promised.push(domain)
  const unserved = async (): Promise<readonly string[]> =>
    (await answersOf(world, promised)).filter((answer) => !/ answers (?:200|503)$/.test(answer))
  // A machine that has just started serves a moment later.
  await waitFor(30, async () => ((await unserved()).length === 0 ? true : undefined))
  assert.deepEqual(await unserved(), [], 'a name leads to what is served')
}

/** No certificate is left of a domain that its machine does not serve. */
export async function assertLeavesServed({ hosts }: RouteWorld): Promise<void> {
  for (const [name, host] of hosts) {
    const lines = await linesOf(host)
    const idle = lines.filter((line) => {
      const domain = LEAF.exec(line)?.[2]
      return domain !== undefined && !lines.some((other) => other.includes(`://${domain} {`))
    })
    assert.deepEqual(idle, [], `certificates without a site on ${name}`)
  }
}
