import { type Run, say } from '#/deployments/run/context.ts'
import type { Discarding, Releases } from '#/instances/api.ts'
import { codeOf } from '#/error-details.ts'

/** Deletes old releases, each of which is named in the output of the run: what visitors stored in one goes with it. */
export async function discardNamed(
  run: Pick<Run, 'call' | 'journal'>,
  releases: Releases,
  names: readonly string[],
  options: Discarding = {},
): Promise<void> {
  if (names.length === 0) return
  for (const name of names) await say(run, `Deleting the release ${name} and everything in it.`)
  await discardReleases(run, releases, names, options)
}

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
