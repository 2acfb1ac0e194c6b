import { makeEnvironment, makeInstances, makeLogs, makeProjects, makeRemoteGit } from '@fleet/fleet'
import { noOwnRoutes, noProcesses } from './absent.ts'
import type { MachineDomains } from './machines.ts'
import type { ComposeParts } from './parts.ts'

/** The domains of what runs on machines. */
export function composeWork(
  parts: ComposeParts,
  { nodes: { nodes }, placements, realtime, agents }: MachineDomains,
) {
  const git = makeRemoteGit(parts.gitEnvironment)
  const projects = makeProjects({ ...parts, nodes, git, placements })
  const instances = makeInstances({ ...parts, nodes, projects: projects.projects })
  const environment = makeEnvironment({
    ...parts,
    nodes,
    instances: instances.instances,
    routes: noOwnRoutes,
  })
  const logs = makeLogs({
    ...parts,
    nodes,
    realtime,
    environment,
    instances: instances.instances,
    processes: noProcesses,
    views: agents.views,
    publisher: parts.logPublisher,
  })
  return { projects, instances, environment, logs }
}
