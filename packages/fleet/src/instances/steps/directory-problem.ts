import { fail } from '@fleet/contract'
import { nodeDetail, type Site } from '#/instances/site.ts'

/** What a script says when a checkout's directory is not as the step before left it. */
export function directoryProblem(
  site: Site,
  word: 'root-missing' | 'folder-missing' | 'unsafe' | 'foreign' | 'busy',
): Error {
  if (word === 'busy') {
    return fail('instance.lifecycle_busy', { details: { ...nodeDetail(site.node), outcome: 'busy' } })
  }
  if (word === 'unsafe') return fail('instance.checkout_path_unsafe', { details: nodeDetail(site.node) })
  return fail('instance.source_failed', { details: { ...nodeDetail(site.node), step: 'directory' } })
}

export const gitMissing = (site: Site): Error =>
  fail('node.capability_missing', { details: { ...nodeDetail(site.node), capability: 'git' } })
