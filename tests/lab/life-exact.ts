import { doctorReport } from '@fleet/contract'
import type { Host } from '../../lab/index.ts'
import type { JsonObject } from '../embedded/ask.ts'
import type { LifeWorld } from './life-world.ts'

const FAMILIES = ['project', 'instance', 'process', 'schedule', 'database_connection', 'route'] as const

/** What Doctor says of the Nodes that is not to be as it is. */
export async function issuesOf({ fleet, around }: LifeWorld): Promise<readonly string[]> {
  const found: string[] = []
  for (const node of around.nodes) {
    const families = FAMILIES.flatMap((family) => ['--families', family])
    const report = doctorReport.parse(await fleet.record('doctor', '--node', String(node), ...families))
    for (const { families } of report.nodes)
      for (const { issues } of families)
        for (const { code, resource_name, observed } of issues)
          found.push(`${code} ${resource_name} ${observed}`)
  }
  return found
}

interface Records {
  readonly projects: readonly JsonObject[]
  readonly instances: readonly JsonObject[]
  readonly processes: readonly JsonObject[]
  readonly schedules: readonly JsonObject[]
  readonly routes: readonly JsonObject[]
}

/** What the records say is on the Nodes, a line for each. */
export async function expected({ fleet, hosts, around }: LifeWorld): Promise<readonly string[]> {
  const [projects, instances, processes, schedules, routes] = await Promise.all(
    (['project', 'instance', 'process', 'schedule', 'route'] as const).map((noun) =>
      fleet.records(`${noun}:list`),
    ),
  )
  if (!projects || !instances || !processes || !schedules || !routes) throw new Error('unreachable')
  const records: Records = { projects, instances, processes, schedules, routes }
  return hosts.flatMap(({ name }, at) => expectedOn(records, name, around.nodes[at] ?? 0)).toSorted()
}

function expectedOn(records: Records, host: string, node: number): readonly string[] {
  const { projects, instances, processes, schedules, routes } = records
  const here = instances.filter((instance) => instance['node_id'] === node)
  const isHere = (one: JsonObject): boolean =>
    one['target_type'] === 'node' ? one['target_id'] === node : here.some(({ id }) => id === one['target_id'])
  const repositoryOf = (instance: JsonObject): unknown =>
    projects.find(({ id }) => id === instance['project_id'])?.['repository_url']
  const isServedHere = (route: JsonObject): boolean => {
    const targets = route['targets'] as readonly JsonObject[] // As the contract says of a Route.
    const ids = targets.map((target) => target['instance_id'])
    const ofInstances = instances.filter(({ id }) => ids.includes(id))
    return ofInstances.some((instance) =>
      host.endsWith('-edge') ? instance['environment'] === 'development' : instance['node_id'] === node,
    )
  }
  return [
    ...here.map((instance) =>
      instance['environment'] === 'development'
        ? `checkout ${instance['checkout_path']} on ${instance['selected_branch']} of ${repositoryOf(instance)}`
        : `home ${instance['production_home']}`,
    ),
    ...processes
      .filter(isHere)
      .map(
        ({ id, name, desired_state }) =>
          `process orbit-process-${id}-${name}.service ${desired_state === 'running' ? 'active' : 'inactive'}`,
      ),
    ...schedules
      .filter(isHere)
      .map(({ id, desired_timer_state }) => `schedule fleet-schedule-${id}.timer ${desired_timer_state}`),
    ...routes.filter(isServedHere).map(({ domain }) => `site ${domain}`),
  ].map((line) => `${host}: ${line}`)
}

const WALK = `
for path in /home/*/apps/*/* /root/apps/*/*; do
  [ -d "$path" ] || continue
  git="git -c safe.directory=* -C $path"
  if [ ! -e "$path/.git" ]; then echo "stray $path"; continue; fi
  $git fsck --connectivity-only >/dev/null 2>&1 || echo "broken $path"
  echo "checkout $path on $($git symbolic-ref --short HEAD) of $($git config --get remote.origin.url)"
done
for unit in /etc/systemd/system/orbit-process-*.service; do
  [ -e "$unit" ] || continue
  echo "process \${unit##*/} $(systemctl is-active "\${unit##*/}")"
done
for unit in /etc/systemd/system/fleet-schedule-*.timer; do
  [ -e "$unit" ] || continue
  echo "schedule \${unit##*/} $(systemctl is-enabled "\${unit##*/}")"
done
sed -n -E "s,^https://([^:/ ]+)(:443)? [{]$,site \\1,p" /etc/caddy/Caddyfile 2>/dev/null
true
`

/** What a walk over the Nodes finds, in the same words. */
export async function observed({ hosts, fleet }: LifeWorld): Promise<readonly string[]> {
  const walked = await Promise.all(
    hosts.map(async (host) => linesOf(host, await host.run(['sh', '-c', WALK]))),
  )
  const production = (await fleet.records('instance:list')).filter(
    (instance) => instance['environment'] === 'production',
  )
  const homes = await Promise.all(
    production.map(async (instance) => {
      const node = instance['node'] as JsonObject // As the contract says of an Instance.
      const host = hosts.find(({ name }) => name === node['name'])
      const home = String(instance['production_home'])
      const { status } = (await host?.attempt(['test', '-d', `${home}/releases`])) ?? { status: 1 }
      return status === 0 ? [`${host?.name}: home ${home}`] : []
    }),
  )
  return [...walked.flat(), ...homes.flat()].toSorted()
}

const linesOf = ({ name }: Host, text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `${name}: ${line}`)
