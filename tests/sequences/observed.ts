import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Row, Store } from '@fleet/store'
import { git } from '@fleet/testing/git-server'
import type { Machine } from './machines.ts'
import type { Work } from './requests.ts'
import type { World } from './world.ts'

/** What the records say is on a Node, a line for each. */
export async function expectedOn({ store: { db } }: World, machine: Machine): Promise<readonly string[]> {
  const { node, host } = machine
  const projects = new Map(
    (await db.selectFrom('projects').selectAll().execute()).map((row) => [row.id, row]),
  )
  const instances = await db.selectFrom('instances').selectAll().execute()
  const here = instances.filter(({ node_id }) => node_id === node.id)
  const isHere = ({
    instance_id,
    node_id,
  }: {
    instance_id: number | null
    node_id: number | null
  }): boolean => node_id === node.id || here.some(({ id }) => id === instance_id)
  const processes = (await db.selectFrom('processes').selectAll().execute()).filter(isHere)
  const schedules = (await db.selectFrom('schedules').selectAll().execute()).filter(isHere)
  return [
    ...here.map((row) => instanceLine(row, projects.get(row.project_id))),
    ...processes.map((row) => {
      const runs = row.desired_state === 'running' && !isAsleep(row)
      return `process orbit-process-${row.id}-${row.name}.service ${runs ? 'runs' : 'stands'}`
    }),
    ...schedules.map(({ id, desired_timer_state }) => `schedule ${id} ${desired_timer_state}`),
    ...(await siteLines({ db }, machine)),
  ].toSorted()

  function isAsleep({ instance_id, keep_alive }: Row<'processes'>): boolean {
    return (
      keep_alive === 0 &&
      host.read(`var/lib/caddy/fleet-hibernation/${instance_id}.slept`) !== undefined &&
      host.read(`dev/shm/fleet/hibernation/${instance_id}.awake`) === undefined
    )
  }
}

function instanceLine(row: Row<'instances'>, project: Row<'projects'> | undefined): string {
  if (row.environment === 'development')
    return `checkout ${row.checkout_path} on ${row.selected_branch} of ${project?.repository_url}`
  return `home ${row.production_home} serves ${row.selected_release ?? 'nothing'}`
}

/** The domains of a Node that serves the Routes itself, and of the Router of its Cluster. */
async function siteLines({ db }: Pick<Store, 'db'>, { node }: Machine): Promise<readonly string[]> {
  const { cluster_id } = await db
    .selectFrom('nodes')
    .select('cluster_id')
    .where('id', '=', node.id)
    .executeTakeFirstOrThrow()
  const isRouter = node.name.startsWith('router')
  const served = await db
    .selectFrom('routes')
    .innerJoin('route_targets', 'route_targets.route_id', 'routes.id')
    .innerJoin('instances', 'instances.id', 'route_targets.instance_id')
    .innerJoin('nodes', 'nodes.id', 'instances.node_id')
    .select(['routes.domain', 'nodes.id', 'nodes.cluster_id'])
    .execute()
  return served
    .filter((one) => (isRouter ? one.cluster_id === cluster_id : one.id === node.id))
    .map(({ domain }) => `site ${domain}`)
}

/** What a walk over a Node finds, in the same words. */
export function observedOn(world: World, machine: Machine): readonly string[] {
  const { host, apps, sites } = machine
  const units = existsSync(host.at('etc/systemd/system')) ? readdirSync(host.at('etc/systemd/system')) : []
  return [
    ...namesIn(apps).flatMap((slug) =>
      namesIn(join(apps, slug)).map((name) => checkoutLine(join(apps, slug, name))),
    ),
    ...units
      .filter((unit) => unit.startsWith('orbit-process-'))
      .map((unit) => `process ${unit} ${host.systemd.isActive(unit) ? 'runs' : 'stands'}`),
    ...units
      .filter((unit) => unit.startsWith('fleet-schedule-') && unit.endsWith('.timer'))
      .map((unit) => {
        const id = unit.slice('fleet-schedule-'.length, -'.timer'.length)
        return `schedule ${id} ${host.systemd.isEnabled(unit) ? 'enabled' : 'disabled'}`
      }),
    ...[...sites.matchAll(/^https:\/\/([^:\s]+):443 \{$/gm)].map(([, domain]) => `site ${domain}`),
    ...namesIn(host.at('etc/fleet/schedules'))
      .filter((file) => !units.includes(`fleet-schedule-${file.replace(/\.sh$/, '')}.timer`))
      .map((file) => `stray ${file}`),
  ].toSorted()
}

/** Homes of removed Instances keep everything, so only those of the records are looked at. */
export async function homesOn({ store: { db } }: World, { node }: Machine): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('instances')
    .select('production_home')
    .where('node_id', '=', node.id)
    .where('production_home', 'is not', null)
    .execute()
  return rows.map(({ production_home: home }) => {
    const link = join(home ?? '', 'current')
    return `home ${home} serves ${existsSync(link) ? readlinkSync(link).replace('releases/', '') : 'nothing'}`
  })
}

function checkoutLine(path: string): string {
  if (!existsSync(join(path, '.git'))) return `stray ${path}`
  const branch = git(path, ['symbolic-ref', '--short', 'HEAD'])
  const origin = git(path, ['config', '--get', 'remote.origin.url'])
  git(path, ['fsck', '--connectivity-only'])
  return `checkout ${path} on ${branch} of ${origin}`
}

/** Whether there is room on the disk is tried with a file, which stays where a broken program cannot remove it. */
const TRIED = '.fleet-room'

const namesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name !== TRIED)
        .toSorted()
    : []

/** Files that a person wrote and that are not where their Instance is, or not as they were. */
export async function lostWork({ store: { db } }: World, work: Work): Promise<readonly string[]> {
  const rows = await db.selectFrom('instances').select(['id', 'checkout_path']).execute()
  const paths = new Map(rows.map(({ id, checkout_path }) => [id, checkout_path]))
  return [...work].flatMap(([id, files]) =>
    [...files].flatMap(([name, text]) => {
      const path = join(paths.get(id) ?? '/nowhere', name)
      return existsSync(path) && readFileSync(path, 'utf8') === text ? [] : [`${id} ${name}`]
    }),
  )
}
