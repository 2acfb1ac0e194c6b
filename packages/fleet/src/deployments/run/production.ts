import type { DeployStepPhase } from '@fleet/contract'
import { begin, note, type Progress, type Run, say } from '#/deployments/run/context.ts'
import { discardNamed, discardReleases } from '#/deployments/run/discard.ts'
import { requireHealthy } from '#/deployments/run/health.ts'
import { selectRelease } from '#/deployments/run/select.ts'
import { runSteps } from '#/deployments/run/steps.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { type Discarding, type FoundReleases, type ProductionInstance, Releases } from '#/instances/api.ts'

/** One deployment of a production Instance with the release that it makes. */
interface Deployment extends Run<ProductionInstance> {
  readonly progress: Progress
  readonly releases: Releases
  readonly release: string
}

/** A new release of the latest commit, selected once its first steps have run (DEPL-011). */
export async function deployProduction(
  run: Run<ProductionInstance>,
  progress: Progress,
  healthPath?: string,
): Promise<void> {
  const session = run.deps.nodes.sessions.overTunnel(run.call, run.instance.node)
  const releases = new Releases(session, run.instance)
  await begin(run, progress, 'source_preparation')
  const before = await releases.list()
  progress.selected = before.selected ?? null
  const deployment = { ...run, progress, releases, release: releaseNameOf(run, before) }
  try {
    await prepare(deployment, before)
    const hasPhp = await run.deps.php.hasService(run.instance)
    if (hasPhp) await run.deps.php.requireRunnable(session, run.instance, deployment.release)
    await begin(run, progress, 'environment_sync')
    const { replaced_keys: replaced } = await run.deps.environment.synchronizeHeld(run.call, run.instance.id)
    if (replaced.length > 0)
      await say(run, `Replaced values that were changed in the .env file: ${replaced.join(', ')}.`)
    await releases.linkEnvironment(deployment.release, { isNew: true })
    await phaseSteps(deployment, 'before_activation')
    if (healthPath !== undefined) {
      const page = { release: deployment.release, path: healthPath }
      await requireHealthy(run, progress, session, page)
    }
  } catch (error) {
    await discardFailed(deployment)
    throw error
  }
  await activate(deployment, session)
  try {
    if (await run.deps.php.hasService(run.instance)) {
      await begin(run, progress, 'php_refresh')
      await run.deps.php.refresh(session, run.instance)
    }
    await phaseSteps(deployment, 'after_activation')
  } catch (error) {
    // Each deployment that fails here has made a release too.
    if (!run.call.signal.aborted) await discardOld(deployment, before, { cleanup: true })
    throw error
  }
  await begin(run, progress, 'cleanup')
  await discardOld(deployment, before)
}

/**
 * Names sort by their time; the id makes two of one second differ. Where a clock was set back since the newest release, the name
 * follows that of the newest one: the order says which are deleted.
 */
function releaseNameOf({ row }: Run, { releases }: FoundReleases): string {
  const time = row.started_at.replaceAll(/[^0-9]/g, '').slice(0, 14)
  const newest = releases.findLast((name) => OF_A_TIME.test(name))?.slice(0, 14)
  return `${newest === undefined || time > newest ? time : Number(newest) + 1}-${row.id}`
}

const OF_A_TIME = /^\d{14}-\d+$/

async function prepare({ releases, release, ...run }: Deployment, before: FoundReleases): Promise<void> {
  await discardReleases(run, releases, before.partial)
  await note(run, { release })
  const branch = run.row.branch ?? ''
  const login = await run.deps.projects.login(run.call, run.instance.project)
  const earlier = before.selected ?? before.releases.at(-1)
  const commit = await releases.prepare(release, { branch, login, earlier })
  await note(run, { commit_id: commit })
}

async function phaseSteps(deployment: Deployment, phase: DeployStepPhase): Promise<void> {
  const { progress, releases, release, instance } = deployment
  await begin(deployment, progress, phase)
  const steps = (instance.deploy_steps ?? []).filter((step) => step.phase === phase)
  await runSteps(deployment, progress, { phase, steps }, (request) => releases.runStep(release, request))
}

async function activate(deployment: Deployment, session: NodeSession): Promise<void> {
  const { progress, releases, release, deps, instance } = deployment
  await begin(deployment, progress, 'activation')
  const before = progress.selected
  try {
    // The steps may have built what is served.
    await deps.access.open(session, instance, release)
    await selectRelease(deployment, progress, releases, { release, isNew: true })
  } catch (error) {
    if (progress.selected === before) await discardFailed(deployment)
    throw error
  }
}

/** What stays when it fails goes with the next deployment. */
async function discardFailed({ releases, release, ...run }: Deployment): Promise<void> {
  await discardReleases(run, releases, [release], { cleanup: true })
}

/** The new release, the previous one and the newest other stay (DEPL-016). */
async function discardOld(
  { releases, release, ...run }: Deployment,
  before: FoundReleases,
  options: Discarding = {},
): Promise<void> {
  const others = before.releases.filter((name) => name !== before.selected && name !== release)
  await discardNamed(run, releases, others.slice(0, -1), options)
}
