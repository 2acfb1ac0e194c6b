import type { Stage } from './stage.ts'

/** What a later start finds in the store. Reads only: nothing is made or written again. */
export async function showStored({ client, fleet, screen, stopping }: Stage): Promise<void> {
  const signal = { signal: stopping }
  const [nodes, projects, instances] = await Promise.all([
    client.call('node:list', {}, signal),
    client.call('project:list', {}, signal),
    client.call('instance:list', {}, signal),
  ])
  screen.heading('In this fleet')
  const names = nodes.data.map(({ name, wireguard_ip }) => `${name} ${wireguard_ip ?? ''}`)
  screen.done('Nodes', names.join(', '), undefined)
  const slugs = projects.data.map(({ slug, repository_url }) => `${slug} from ${repository_url}`)
  screen.done('Projects', slugs.join(', ') || 'none yet', undefined)
  const placed = instances.data.map(
    ({ project, name, node, status }) => `${project.slug}/${name} on ${node.name}, ${status}`,
  )
  screen.done('Instances', placed.join('; ') || 'none yet', undefined)
  const { sampleGit } = fleet
  if (sampleGit && 'problem' in sampleGit)
    screen.failed('Git', `the sample repository is not available: ${sampleGit.problem}`)
}
