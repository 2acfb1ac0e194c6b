import { isDeepStrictEqual } from 'node:util'
import type { InputOf } from '@fleet/contract'
import type { ProjectRecord } from '#/projects/record.ts'
import type { Compared } from '#/repeats.ts'

/**
 * The stored Project beside what this creation would have made (PRJ-033). What only the gateway could fill in (code, branch)
 * and the routing of task workspaces may be left out; every other omission means its default.
 */
export function comparedCreation(stored: ProjectRecord, input: InputOf<'project:create'>): Compared {
  const routed = stored.task_workspace_routed === 1
  return {
    type: stored.type === input.type,
    repository_url: stored.repository_url === input.repository_url,
    root: stored.root === input.root,
    name: stored.name === (input.name ?? input.slug),
    code: stored.code === (input.code ?? stored.code),
    default_branch: stored.default_branch === (input.default_branch ?? stored.default_branch),
    defaults: isDeepStrictEqual(stored.defaults, input.defaults ?? null),
    source_access: stored.source_access === (input.source_access ?? 'github_app'),
    task_check: stored.task_check === (input.task_check ?? null),
    task_workspace_routed: routed === (input.task_workspace_routed ?? routed),
    task_compute: stored.task_compute === (input.task_compute ?? 'shared'),
  }
}
