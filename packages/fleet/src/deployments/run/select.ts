import type { Progress, Run } from '#/deployments/run/context.ts'
import { storeServed } from '#/deployments/served.ts'
import type { ProductionInstance, Releases } from '#/instances/api.ts'

/**
 * Moves `current` to a release. Who reads the record while later steps run finds the release in it; what an answer that was lost left
 * selected is stored with the end of the run.
 */
export async function selectRelease(
  { deps, instance }: Run<ProductionInstance>,
  progress: Progress,
  releases: Releases,
  { release, isNew }: { readonly release: string; readonly isNew: boolean },
): Promise<void> {
  // From the rename to its answer only the Node knows.
  progress.selected = undefined
  try {
    await releases.select(release, { isNew })
  } catch (error) {
    progress.selected = await releases.list().then(
      ({ selected }) => selected ?? null,
      () => undefined,
    )
    throw error
  }
  progress.selected = release
  await deps.store.transaction((db) => storeServed(deps, db, instance, release))
}
