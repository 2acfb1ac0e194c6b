import * as z from 'zod'
import type { Call } from '#/call.ts'
import { deploy } from '#/deployments/deploy.ts'
import type { DeploymentsParts } from '#/deployments/parts.ts'
import { listWatched } from '#/deployments/queries.ts'
import { branchTip } from '#/instances/api.ts'
import { codeOf } from '#/perform-steps.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

const WATCH_SECONDS = 60
const DEPLOY = 'deployment:run'

/** Once a minute: a new commit of the branch of a deployed `default` is deployed (DEPL-033). */
export const watchKind = (parts: DeploymentsParts): WorkKind =>
  workKind({
    name: 'deployment:watch',
    payload: z.null(),
    everySeconds: WATCH_SECONDS,
    unrecorded: 'tick',
    run: async (call) => {
      const watched = await listWatched(parts.store.db)
      await Promise.all(watched.map((instance) => check(parts, call, instance)))
    },
  })

/** A commit is tried once, whatever came of it: the next one, or a person, tries again. */
async function check(
  parts: DeploymentsParts,
  call: Call,
  { instanceId, commit }: { readonly instanceId: number; readonly commit: string | null },
): Promise<void> {
  try {
    const instance = await parts.instances.find(instanceId)
    if (instance?.node.status !== 'active') return
    const session = parts.nodes.sessions.overTunnel(call, instance.node)
    const tip = await session.ask(branchTip, {
      login: await parts.projects.login(call, instance.project),
      checkoutPath: instance.checkout_path,
      preparationId: instance.preparation_id,
      branch: instance.selected_branch ?? '',
    })
    if (tip === undefined || tip === commit) return
    const payload = { instance_id: instanceId, commit: tip }
    await parts.store.work.add({ kind: DEPLOY, key: String(instanceId), payload, dueAt: parts.clock.now() })
  } catch (error) {
    call.log('a branch could not be asked for new commits', { instance: instanceId, code: codeOf(error) })
  }
}

/** A deployment that nobody asked for. Its row says how it ended; it is not tried again. */
export const scheduledKind = (parts: DeploymentsParts): WorkKind =>
  workKind({
    name: DEPLOY,
    payload: z.strictObject({ instance_id: z.int(), commit: z.string() }),
    run: async (call, { instance_id, commit }) => {
      const instance = await parts.instances.find(instance_id)
      if (!instance) return
      call.note.subject('instance', instance_id)
      call.note.target(instance.node_id)
      const watched = (await listWatched(parts.store.db)).find(({ instanceId }) => instanceId === instance_id)
      if (watched?.commit === commit) return
      const { failure } = await deploy(parts, call, instance, { triggeredBy: 'schedule', commit })
      if (failure) call.note.property('error_code', failure.code)
    },
  })
