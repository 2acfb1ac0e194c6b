import { begin, type Progress, type Run } from '#/deployments/run/context.ts'
import { selectRelease } from '#/deployments/run/select.ts'
import { type ProductionInstance, Releases } from '#/instances/api.ts'

/** Selects a release that is still there: no fetch, no environment written, no step (DEPL-028). */
export async function rollBack(run: Run<ProductionInstance>, progress: Progress): Promise<void> {
  const { deps, call, instance, row } = run
  const session = deps.nodes.sessions.overTunnel(call, instance.node)
  const releases = new Releases(session, instance)
  const release = row.release ?? ''
  await begin(run, progress, 'rollback')
  // A Route may have come since the release was made.
  await deps.access.open(session, instance, release)
  await releases.linkEnvironment(release, { isNew: false })
  await selectRelease(run, progress, releases, { release, isNew: false })
  if (!(await deps.php.hasService(instance))) return
  // It has one phase for its client, and a cache that was not reset is still a failure of its own.
  progress.phase = 'php_refresh'
  await deps.php.refresh(session, instance)
}
