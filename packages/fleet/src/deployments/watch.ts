import * as z from 'zod'
import type { Call } from '#/call.ts'
import { deploy } from '#/deployments/deploy.ts'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
import { countInterrupted, listWatched } from '#/deployments/queries.ts'
import { branchTip } from '#/instances/api.ts'
import { codeOf } from '#/error-details.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

const WATCH_SECONDS = 60
const DEPLOY = 'deployment:run'
/** A commit that stops the gateway itself, as by a step that restarts it, is left alone in the end. */
const INTERRUPTED_MAX = 3

/** Once a minute: a new commit of the branch of a deployed `default` is deployed (DEPL-033). */
export const watchKind = (deps: DeploymentsDeps): WorkKind =>
  workKind({
    name: 'deployment:watch',
    payload: z.null(),
    everySeconds: WATCH_SECONDS,
    unrecorded: 'tick',
    run: async (call) => {
      const watched = await listWatched(deps.store.db)
      await Promise.all(watched.map((instance) => check(deps, call, instance)))
    },
  })

/** A commit is tried once, whatever came of it: the next one, or a person, tries again. */
async function check(
  deps: DeploymentsDeps,
  call: Call,
  { instanceId, commit }: { readonly instanceId: number; readonly commit: string | null },
): Promise<void> {
  try {
    const instance = await deps.instances.find(instanceId)
    if (instance?.node.status !== 'active') return
    const session = deps.nodes.sessions.overTunnel(call, instance.node)
    const tip = await session.ask(branchTip, {
      login: await deps.projects.login(call, instance.project),
      checkoutPath: instance.checkout_path,
      preparationId: instance.preparation_id,
      branch: instance.selected_branch ?? '',
    })
    if (tip === undefined || tip === commit) return
    const payload = { instance_id: instanceId, commit: tip }
    await deps.store.work.add({ kind: DEPLOY, key: String(instanceId), payload, dueAt: deps.clock.now() })
  } catch (error) {
    call.log('a branch could not be asked for new commits', { instance: instanceId, code: codeOf(error) })
  }
}

/**
 * A deployment that nobody asked for. Its row says how it ended; it is not tried again, unless its gateway stopped meanwhile
 * (decision 0334).
 */
export const scheduledKind = (deps: DeploymentsDeps): WorkKind =>
  workKind({
    name: DEPLOY,
    payload: z.strictObject({ instance_id: z.int(), commit: z.string() }),
    places: 4,
    run: async (call, { instance_id, commit }) => {
      const instance = await deps.instances.find(instance_id)
      if (!instance) return
      call.note.subject('instance', instance_id)
      call.note.target(instance.node_id)
      const watched = (await listWatched(deps.store.db)).find(({ instanceId }) => instanceId === instance_id)
      if (watched?.commit === commit && !watched.isInterrupted) return
      if ((await countInterrupted(deps.store.db, instance_id, commit)) >= INTERRUPTED_MAX) return
      const { failure } = await deploy(deps, call, instance, { triggeredBy: 'schedule', commit })
      // The work goes back to whoever takes it next.
      if (failure?.code === 'deployment.interrupted') throw failure
      if (failure) call.note.property('error_code', failure.code)
    },
  })
