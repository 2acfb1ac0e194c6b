import assert from 'node:assert/strict'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { OperationName } from '@fleet/contract'
import { fetchPath } from '@fleet/testing'
import { sampled } from '@fleet/testing/sample'
import { waitFor } from '../../lab/wait.ts'
import { differences, walk, type Walked } from '../sequences/walk.ts'
import { fillWithWork } from '../sequences/work.ts'
import { type Fault, FAULTS } from './faults.ts'
import { onHosts } from './site.ts'
import {
  type Ended,
  type Happening,
  type Member,
  startTransferWorld,
  type TransferWorld,
} from './transfer-world.ts'

const APPS = '/home/fleet/apps/shop'
/** The receipt of a checkout and what Fleet writes into it: its settings of Git, and its values. */
const OURS =
  /^(?:\.git\/(?:orbit\/|refs\/fleet\/|config$|index$|info\/|FETCH_HEAD$|ORIG_HEAD$|logs\/)|\.env$)/

let shared: Promise<TransferWorld> | undefined
const started = (): Promise<TransferWorld> => (shared ??= startTransferWorld('life', { hasProduction: true }))
after(async () => (await shared?.catch(() => undefined))?.[Symbol.asyncDispose]())

/** One request that something happens to. */
interface Attempt {
  ask(happening?: Happening): Promise<Ended>
  /** What was there whatever happened, before anybody repeats anything. */
  whole(told: string): void
  /** What is there once the identical request is done. */
  done(told: string): Promise<void>
  /** Makes room for the next one. */
  end?(): Promise<void>
}

/** Makes the next attempt, by its number from 0. */
type Next = (number: number) => Promise<Attempt>

interface Site {
  readonly world: TransferWorld
  readonly here: Member
}

const recordOf = async ({ world }: Site, operation: OperationName, input: object): Promise<number> =>
  ((await world.ask(operation, input)) as { readonly id: number }).id // As the contract says.

const inside = ({ here }: Site, path: string): string => join(here.host.root, path)

/** Work that exists nowhere else, by its user. */
async function withWork(site: Site, path: string): Promise<Walked> {
  const { host } = site.here
  await host.run(['chown', '-R', 'root:', path])
  fillWithWork(inside(site, path))
  await host.run(['sh', '-c', `chown -hR fleet:fleet ${path} && sync`])
  return walk(inside(site, path))
}

const requireSame = (site: Site, path: string, before: Walked, told: string): void =>
  assert.deepEqual(differences(before, walk(inside(site, path)), OURS), [], told)

/** The Router shows the page of a domain. */
async function requireServed({ world }: Site, host: string, told: string): Promise<void> {
  const asked = { address: world.edge.host.address, port: 443, host, path: '/', certificate: world.root }
  const page = () => fetchPath(asked).catch(String)
  const expected = JSON.stringify({ status: 200, body: 'shop\n' })
  await waitFor(20, async () => (JSON.stringify(await page()) === expected ? true : undefined))
  assert.equal(JSON.stringify(await page()), expected, told)
}

async function remove(site: Site, name: string): Promise<void> {
  const { db } = site.world.store
  const row = await db.selectFrom('instances').select('id').where('name', '=', name).executeTakeFirst()
  if (row) await site.world.ask('instance:destroy', { instance: row.id, force: true })
}

const HOME = '/home/shop-live'

let live: Promise<number> | undefined

/** A production Instance, once for all that harm it. */
const production = (site: Site): Promise<number> => (live ??= cloned(site))

async function cloned(site: Site): Promise<number> {
  const clone = {
    candidate: await candidate(site),
    node_id: site.here.id,
    name: 'live',
    preview_name: 'live',
  }
  const id = await recordOf(site, 'instance:clone', { ...clone, branch: 'main' })
  await deployed(site, id, 0)
  return id
}

/** Answers the release of that page. */
async function deployed(site: Site, id: number, page: number): Promise<string> {
  publish(site.world, page)
  await site.world.ask('instance:deploy', { instance: id })
  return readlinkSync(join(inside(site, HOME), 'current')).replace('releases/', '')
}

let candidates = 0

async function candidate(site: Site): Promise<number> {
  candidates += 1
  const name = `candidate-${candidates}`
  const given = { project_id: 1, node_id: site.world.members[0].id, name, domain: `${name}.internal` }
  return recordOf(site, 'instance:create', given)
}

const publish = ({ commit }: TransferWorld, page: number): void =>
  commit('shop', { 'public/page.txt': `page ${page}\n` })

/** What is served is a whole release. */
function requireRelease(site: Site, told: string): string {
  const link = readlinkSync(join(inside(site, HOME), 'current'))
  const served = join(inside(site, HOME), link)
  assert.ok(existsSync(join(served, '.git/orbit/release')), told)
  const page = readFileSync(join(served, 'public/page.txt'), 'utf8')
  assert.match(page, /^page \d+\n$/, told)
  return page
}

const SCENARIOS: Readonly<Record<string, (site: Site) => Promise<Next>>> = {
  'an update of a Project': async (site) => {
    const { world, here } = site
    const given = { project_id: 1, node_id: here.id, name: 'one', domain: 'one.internal' }
    await recordOf(site, 'instance:create', given)
    const before = await withWork(site, `${APPS}/one`)
    return async (number) => {
      const input = {
        project: 1,
        slug: number % 2 === 0 ? 'store' : 'shop',
        root: number % 2 === 0 ? 'web' : 'public',
      }
      return {
        ask: (happening) => world.askWhile('project:update', input, happening),
        whole: (told) => requireSame(site, `${APPS}/one`, before, told),
        done: (told) => requireServed(site, 'one.internal', told),
      }
    }
  },
  'an adoption': async (site) => {
    const { world, here } = site
    return async (number) => {
      const name = `mine-${number}`
      const source = `/home/fleet/${name}`
      await here.host.run(['runuser', '-u', 'fleet', '--', 'git', 'clone', '-q', world.urlOf('shop'), source])
      const before = await withWork(site, source)
      const place = `${APPS}/${name}`
      const isMoved = (): boolean => !existsSync(join(inside(site, source), '.git'))
      const input = { source_path: source, project_id: 1, domain: `${name}.internal` }
      return {
        ask: (happening) => world.askWhile('instance:register', input, happening, here),
        whole: (told) => requireSame(site, isMoved() ? place : source, before, told),
        done: async (told) => {
          assert.deepEqual([isMoved(), existsSync(inside(site, source))], [true, false], told)
          requireSame(site, place, before, told)
          await requireServed(site, `${name}.internal`, told)
        },
        end: () => remove(site, name),
      }
    }
  },
  'a copy': async (site) => {
    const { world, here } = site
    const given = { project_id: 1, node_id: here.id, name: 'source', domain: 'source.internal' }
    const source_instance_id = await recordOf(site, 'instance:create', given)
    const path = `${APPS}/source`
    const before = walk(inside(site, path))
    return async (number) => {
      const name = `copy-${number}`
      const domain = `${name}.internal`
      const input = { project_id: 1, node_id: here.id, name, domain, source_instance_id }
      return {
        ask: (happening) => world.askWhile('instance:create', input, happening),
        whole: (told) => requireSame(site, path, before, told),
        done: async (told) => {
          requireSame(site, path, before, told)
          const copied = walk(inside(site, `${APPS}/${name}`))
          const files = [...before.keys()].filter((file) => !file.startsWith('.git/') && !OURS.test(file))
          for (const file of files) assert.equal(copied.get(file), before.get(file), `${told}: ${file}`)
          await here.host.run(['runuser', '-u', 'fleet', '--', 'git', '-C', `${APPS}/${name}`, 'fsck'])
          await requireServed(site, domain, told)
        },
        end: () => remove(site, name),
      }
    }
  },
  'a wake': async (site) => {
    const { world, here } = site
    const given = { project_id: 1, node_id: here.id, name: 'idle', domain: 'idle.internal' }
    const id = await recordOf(site, 'instance:create', given)
    const before = await withWork(site, `${APPS}/idle`)
    const process = await recordOf(site, 'process:create', {
      target_type: 'instance',
      target_id: id,
      name: 'queue',
      runtime: 'systemd',
      command: ['/bin/sleep', '9999'],
      start: true,
    })
    const unit = `orbit-process-${process}-queue.service`
    return async () => {
      // A second without a visit is enough.
      const isAsleep = async (): Promise<true | undefined> => {
        await world.work('hibernation:sweep')
        const marker = `/var/lib/caddy/fleet-hibernation/${id}.slept`
        return (await here.host.attempt(['test', '-e', marker])).status === 0 ? true : undefined
      }
      assert.equal(await waitFor(30, isAsleep), true)
      assert.equal((await here.host.attempt(['systemctl', 'is-active', unit])).stdout.trim(), 'inactive')
      return {
        ask: (happening) => world.askWhile('process:start', { process }, happening),
        whole: (told) => requireSame(site, `${APPS}/idle`, before, told),
        done: async (told) => {
          requireSame(site, `${APPS}/idle`, before, told)
          await here.host.run(['systemctl', 'is-active', '--quiet', unit])
          await requireServed(site, 'idle.internal', told)
        },
      }
    }
  },
  'a clone for production': async (site) => {
    const { world, here } = site
    const from = await candidate(site)
    const path = `${APPS}/candidate-${candidates}`
    const dev = { world, here: world.members[0] }
    const before = walk(inside(dev, path))
    return async (number) => {
      const name = `store-${number}`
      const input = { candidate: from, node_id: here.id, name, preview_name: name, branch: 'main' }
      return {
        ask: (happening) => world.askWhile('instance:clone', input, happening),
        whole: (told) => requireSame(dev, path, before, told),
        done: async (told) => {
          requireSame(dev, path, before, told)
          const copied = walk(inside(site, `/home/shop-${name}/releases/initial`))
          const files = [...before.keys()].filter((file) => !file.startsWith('.git/') && !OURS.test(file))
          for (const file of files) assert.equal(copied.get(file), before.get(file), `${told}: ${file}`)
        },
        end: () => remove(site, name),
      }
    }
  },
  'a deployment': async (site) => {
    const { world } = site
    const id = await production(site)
    return async (number) => {
      const page = number + 10
      publish(world, page)
      return {
        ask: (happening) => world.askWhile('instance:deploy', { instance: id }, happening),
        whole: (told) => void requireRelease(site, told),
        done: async (told) => assert.equal(requireRelease(site, told), `page ${page}\n`),
      }
    }
  },
  'a rollback': async (site) => {
    const { world } = site
    const id = await production(site)
    const releases = [await deployed(site, id, 1), await deployed(site, id, 2)]
    return async (number) => {
      const at = number % 2
      const input = { instance: id, release: releases[at] ?? '' }
      return {
        ask: (happening) => world.askWhile('instance:rollback', input, happening),
        whole: (told) => void requireRelease(site, told),
        done: async (told) => assert.equal(requireRelease(site, told), `page ${at + 1}\n`),
      }
    }
  },
}

const ON_PRODUCTION: ReadonlySet<string> = new Set(['a clone for production', 'a deployment', 'a rollback'])

/** Sends the request while its Node is harmed, looks at what stands, and lets the identical request finish. */
async function strike(
  { world, here: { host } }: Site,
  attempt: Attempt,
  { fault, at }: { readonly fault: Fault; readonly at: number },
): Promise<string> {
  const { code, isStruck } = await attempt.ask({ position: { at }, work: () => fault.inject(host) })
  await fault.clearFaults(host)
  await world.reachable(host)
  // What made room again would come back with the next power cut.
  await host.run(['sync'])
  const codes = [code]
  const told = (): string =>
    `${fault.name} at command ${at}: ${codes.map((one) => one ?? 'done').join(', then ')}`
  assert.ok(isStruck, `${told()}: there is no such command`)
  attempt.whole(told())
  do codes.push((await attempt.ask()).code)
  while (codes.length < 4 && codes.at(-1) !== undefined)
  assert.equal(codes.at(-1), undefined, told())
  await attempt.done(told())
  return told()
}

for (const [index, [name, begin]] of Object.entries(SCENARIOS).entries())
  test(
    `${name} whose Node is cut off, full or without power at any command loses nothing, and the identical request finishes it`,
    onHosts,
    async (context) => {
      const world = await started()
      const here = ON_PRODUCTION.has(name) ? (world.live ?? assert.fail('no production')) : world.members[0]
      const site = { world, here }
      const next = await begin(site)
      const first = await next(0)
      const { code, asked } = await first.ask()
      assert.equal(code, undefined)
      await first.done('undisturbed')
      await first.end?.()
      context.diagnostic(`${asked.length} commands`)
      let number = 0
      for (const [of, fault] of FAULTS.entries())
        for (const at of sampled([...asked.keys()], asked.length, index + of * 3)) {
          number += 1
          const attempt = await next(number)
          context.diagnostic(await strike(site, attempt, { fault, at }))
          await attempt.end?.()
        }
      assert.deepEqual(await world.issues(), [])
    },
  )
