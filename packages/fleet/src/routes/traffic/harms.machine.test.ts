import assert from 'node:assert/strict'
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { fakeCall, type ServiceHost } from '@fleet/testing'
import { sampled } from '@fleet/testing/sample'
import { makeLeafSource } from '#/routes/sites.ts'
import { NO_CADDY } from '#/routes/traffic/machines.test.ts'
import { openTown, type Town } from '#/routes/traffic/town.test.ts'
import { visitOnce } from '#/routes/traffic/visitors.test.ts'
import { create, destroy, update } from '#/routes/world.test.ts'

/** What happens to the machine whose file is being built, and what the build then fails with. */
const HARMS = {
  'Caddy refuses the file': 'validate',
  'the disk is full': 'write',
  'the server refuses to load it': 'reload',
} as const
type Harm = keyof typeof HARMS

/** Each is asked for again until it is done. */
interface Change {
  readonly name: string
  /** What it changes is found by the domain. */
  run(town: Town): Promise<unknown>
  /** Names that are answered afterwards, besides `b.example`. */
  readonly names: readonly string[]
}

const idOf = async ({ shop }: Town, ...domains: readonly string[]): Promise<number> => {
  const { db } = shop.world.store
  const rows = await db
    .selectFrom('routes')
    .select('id')
    .where('domain', 'in', [...domains])
    .orderBy('id')
    .execute()
  return rows[0]?.id ?? assert.fail(`no Route of ${domains.join(' or ')}`)
}

/** A custom proxy whose creation failed is destroyed first (RTE-055). */
async function createAnew(town: Town): Promise<void> {
  const { world, router } = town.shop
  const failed = await world.store.db
    .selectFrom('routes')
    .select('id')
    .where('domain', '=', 'mail.internal')
    .where('status', '=', 'failed')
    .executeTakeFirst()
  if (failed) await destroy(world, failed.id)
  await create(world, { domain: 'mail.internal', node_id: router.id })
}

/** Each leaves what the next one begins with, and the last one what the first. */
const CHANGES: readonly Change[] = [
  { name: 'a Route is created', run: createAnew, names: ['a.example', 'mail.internal'] },
  {
    name: 'it is destroyed',
    run: async (town) => destroy(town.shop.world, await idOf(town, 'mail.internal')),
    names: ['a.example'],
  },
  {
    name: 'a domain changes',
    run: async (town) =>
      update(town.shop.world, await idOf(town, 'a.example', 'next.example'), { domain: 'next.example' }),
    names: ['next.example'],
  },
  {
    name: 'a Route is published',
    run: async (town) => update(town.shop.world, await idOf(town, 'next.example'), { publication: 'public' }),
    names: ['next.example'],
  },
  {
    name: 'it is private again',
    run: async (town) =>
      update(town.shop.world, await idOf(town, 'next.example'), { publication: 'private' }),
    names: ['next.example'],
  },
  {
    name: 'the domain changes back',
    run: async (town) =>
      update(town.shop.world, await idOf(town, 'next.example', 'a.example'), { domain: 'a.example' }),
    names: ['a.example'],
  },
]

/** A disk without room and a Caddy that refuses, while a file says so. */
function makeHarmable(host: ServiceHost): void {
  renameSync(host.at('fake/caddy'), host.at('fake/caddy-unharmed'))
  host.install(
    'caddy',
    'if [ "$1" = validate ] && [ -e "$FAKE/refuses" ]; then echo "Error: refused" >&2; exit 1; fi\nexec "$FAKE/fake/caddy-unharmed" "$@"',
  )
  host.install('sync', '[ ! -e "$FAKE/full" ] || exit 1\nexec /usr/bin/env -i /bin/sync "$@"')
}

function setHarm(host: ServiceHost, harm: Harm | undefined): void {
  for (const file of ['refuses', 'full']) rmSync(host.at(file), { force: true })
  host.systemd.clearFaults()
  if (harm === 'Caddy refuses the file') host.write('refuses', '')
  if (harm === 'the disk is full') host.write('full', '')
  if (harm === 'the server refuses to load it') host.systemd.break('caddy.service')
}

interface Builds {
  /** The build of this number, from 1 and from now on, meets the harm. */
  harm(harm: Harm, at: number): void
  /** Stages at which builds failed since. */
  failed(): readonly unknown[]
}

function watchBuilds({ shop: { world }, machines }: Town): Builds {
  const { webServer } = world.deps
  const { build } = webServer
  let [count, failed]: [number, unknown[]] = [0, []]
  let next: { readonly harm: Harm; readonly at: number } | undefined
  Object.assign(webServer, {
    build: async (...given) => {
      count += 1
      const host = machines.host(given[0].node)
      if (next?.at === count) setHarm(host, next.harm)
      try {
        return await build(...given)
      } catch (error) {
        failed.push(error instanceof CodedError ? error.details?.['stage'] : error)
        throw error
      } finally {
        setHarm(host, undefined)
      }
    },
  } satisfies Partial<typeof webServer>)
  return {
    harm: (harm, at) => ([count, failed, next] = [0, [], { harm, at }]),
    failed: () => failed,
  }
}

const DOMAINS = ['a.example', 'b.example', 'c.example', 'next.example', 'mail.internal'] as const

/** Whatever has a name is served under it. Nothing runs behind the proxy. */
async function answered({ web }: Town): Promise<readonly string[]> {
  const names = DOMAINS.filter((domain) => web.addressOf(domain) !== undefined)
  for (const domain of names) {
    const { status } = await visitOnce({ web, domain, address: web.addressOf(domain) ?? '' }, '/page.txt')
    assert.equal(status, domain === 'mail.internal' ? 502 : 200, domain)
  }
  return names
}

/** Every Node serves what a fresh rendering gives, with the certificates of the records and no others. */
async function assertFresh(town: Town): Promise<void> {
  const { shop, machines, edge } = town
  const { deps, store } = shop.world
  const leaves = await makeLeafSource({ store }).leaves()
  for (const node of [...shop.nodes, shop.router, edge]) {
    const session = deps.nodes.sessions.overTunnel(fakeCall(), node)
    assert.equal(await deps.webServer.build(session, 'app-dev'), 'unchanged', node.name)
    const wanted = leaves.filter(({ nodeId }) => nodeId === node.id).map(({ leaf }) => leaf.scope)
    const folder = machines.host(node).at('etc/fleet/certificates')
    const found = existsSync(folder) ? readdirSync(folder).filter((scope) => isLeaf(folder, scope)) : []
    assert.deepEqual(found.toSorted(), wanted.toSorted(), node.name)
  }
}

const isLeaf = (folder: string, scope: string): boolean => readdirSync(`${folder}/${scope}`).length > 0

const CASES = Object.keys(HARMS).flatMap((harm) => [1, 2, 3, 4].map((at) => ({ harm: harm as Harm, at }))) // Its keys are these.

test(
  'whichever build of a creation, removal, publication or change of a domain meets a full disk, a Caddy that refuses the file or one that does not load it: nothing is named that is not served, the identical request finishes, and no certificate is left [RTX-090, RTX-092, RTX-095]',
  { skip: NO_CADDY },
  async (context) => {
    await using town = await openTown([])
    await town.visitors.stop()
    for (const node of [...town.shop.nodes, town.shop.router, town.edge])
      makeHarmable(town.machines.host(node))
    const builds = watchBuilds(town)
    const hit: string[] = []
    for (const { harm, at } of sampled(CASES, 3))
      for (const { name, run, names } of CHANGES) {
        builds.harm(harm, at)
        const failure = await run(town).then(
          () => undefined,
          (error: unknown) => error,
        )
        if (failure !== undefined) {
          assert.deepEqual(builds.failed(), [HARMS[harm]], `${name}: ${String(failure)}`)
          hit.push(`${name} ${at}: ${harm}`)
          await answered(town)
          await run(town)
        }
        assert.deepEqual(
          await answered(town),
          DOMAINS.filter((one) => [...names, 'b.example', 'c.example'].includes(one)),
        )
        await assertFresh(town)
      }
    context.diagnostic(hit.join(', '))
    assert.ok(hit.length >= CHANGES.length, `${hit.length} changes were harmed`)
  },
)
