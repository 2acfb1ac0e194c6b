import type { InstanceData, ProjectData } from '@fleet/contract'
import type { SampleGit } from './git.ts'
import type { Stage } from './stage.ts'
import { carryEnvironment } from './environment.ts'
import { showActivities } from './activities.ts'
import { listenToFeed, showEvents } from './feed.ts'
import { timed } from './timed.ts'
import { showPage } from './page.ts'
import { showTrust } from './trust.ts'

const SLUG = 'shop'

/** One project end to end. Each request can be repeated, so an interrupted run resumes where it stopped. */
export async function runSample(stage: Stage): Promise<void> {
  const { fleet, screen } = stage
  screen.heading('One real project, end to end')
  await showTrust(stage)
  await showNodes(stage)
  await using feed = await listenToFeed(stage)
  const project = await createProject(stage, requireServed(fleet.sampleGit))
  const instance = await checkOut(stage, project)
  await carryEnvironment(stage, instance)
  await showPage(stage, instance)
  await showActivities(stage)
  showEvents(stage, feed)
}

function requireServed(git: SampleGit): string {
  if (git && 'url' in git) return git.url
  throw new Error(`The sample repository is not available: ${git?.problem ?? 'it was not created'}.`)
}

async function showNodes({ client, clock, fleet, screen, stopping }: Stage): Promise<void> {
  const { value, milliseconds } = await timed(clock, () => client.call('node:list', {}, { signal: stopping }))
  const lines = value.data.map(({ name, wireguard_ip, roles, ssh_host_fingerprint }) =>
    [name.padEnd(9), wireguard_ip?.padEnd(12), roles.join(', ').padEnd(13), ssh_host_fingerprint]
      .join(' ')
      .trimEnd(),
  )
  screen.done(
    'Nodes',
    `the gateway and ${fleet.nodes.length} embedded Nodes, each an SSH server with a pinned host key`,
    milliseconds,
    lines,
  )
}

async function createProject({ client, clock, screen, stopping }: Stage, url: string): Promise<ProjectData> {
  const input = { slug: SLUG, name: 'Shop', type: 'node-package', repository_url: url, root: '.' } as const
  const { value, milliseconds } = await timed(clock, () =>
    client.call('project:create', input, { signal: stopping }),
  )
  const { slug, code, default_branch } = value.data
  screen.done('Project', `${slug} (${code}) from ${url}`, milliseconds, [
    `default branch ${default_branch ?? ''}, read from the repository over HTTPS`,
  ])
  return value.data
}

async function checkOut(
  { client, clock, fleet, screen, stopping }: Stage,
  project: ProjectData,
): Promise<InstanceData> {
  const [node] = fleet.nodes
  if (!node) throw new Error('the fleet has no embedded Node')
  const input = { project_id: project.id, node_id: node.id, name: 'default' }
  const { value, milliseconds } = await timed(clock, () =>
    client.call('instance:create', input, { signal: stopping }),
  )
  const { starting_commit, selected_branch, checkout_path, status } = value.data
  screen.done(
    'Instance',
    `${project.slug}/default is ${status} on ${node.name}, checked out over SSH`,
    milliseconds,
    [`commit ${starting_commit ?? ''} of ${selected_branch ?? ''}`, checkout_path],
  )
  return value.data
}
