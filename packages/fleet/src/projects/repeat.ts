import type { ProjectRecord } from '#/projects/record.ts'
import { isDeepStrictEqual } from 'node:util'
import type { InputOf } from '@fleet/contract'

/**
 * True when the stored Project is what this creation would have made (PRJ-033). What only the gateway could fill in
 * (code, branch) and the routing of task workspaces may be left out; every other omission means its default.
 */
export function isSameCreation(stored: ProjectRecord, input: InputOf<'project:create'>): boolean {
  const routed = stored.task_workspace_routed === 1
  return (
    stored.type === input.type &&
    stored.repository_url === input.repository_url &&
    stored.root === input.root &&
    stored.name === (input.name ?? input.slug) &&
    stored.code === (input.code ?? stored.code) &&
    stored.default_branch === (input.default_branch ?? stored.default_branch) &&
    isDeepStrictEqual(stored.defaults, input.defaults ?? null) &&
    stored.source_access === (input.source_access ?? 'github_app') &&
    stored.task_check === (input.task_check ?? null) &&
    routed === (input.task_workspace_routed ?? routed) &&
    stored.task_compute === (input.task_compute ?? 'shared')
  )
}
