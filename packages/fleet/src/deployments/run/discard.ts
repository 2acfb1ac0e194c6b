import type { Run } from '#/deployments/run/context.ts'
import type { Discarding, Releases } from '#/instances/api.ts'
import { codeOf } from '#/error-details.ts'

/** Deletes releases; one that cannot be deleted is a warning, and the next deployment tries again. */
export async function discardReleases(
  { call }: Pick<Run, 'call'>,
  releases: Releases,
  names: readonly string[],
  options: Discarding = {},
): Promise<void> {
  for (const name of names) {
    try {
      await releases.discard(name, options)
    } catch (error) {
      call.log('a release could not be deleted', { release: name, code: codeOf(error) })
    }
  }
}
