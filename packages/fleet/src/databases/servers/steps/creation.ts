import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { type AdminDeps, adminOf } from '#/databases/servers/admin.ts'
import { beginVolume } from '#/databases/servers/commands/server-scripts.ts'
import { dataPath, engineRule, imageOf } from '#/databases/servers/engines.ts'
import { volumeOf } from '#/databases/servers/names.ts'
import { openRootPassword } from '#/databases/servers/root-password.ts'
import { updateServer } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import { sha256 } from '#/managed-services/api.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'

export interface ServerCreation {
  readonly deps: AdminDeps & { readonly store: Store; readonly clock: Clock }
  readonly call: Call
  readonly node: NodeRecord
  readonly session: NodeSession
  server: ServerRecord
}

/** The container as it is created; nothing of it is secret (DBS-030). */
export function containerRequest({ slug, tag, port }: ServerRecord, node: NodeRecord) {
  const image = imageOf(tag)
  const { command, port: inside } = engineRule(image.engine)
  return {
    node,
    name: slug,
    image: image.image,
    command,
    ports: [`${node.wireguard_ip ?? '127.0.0.1'}:${port}:${inside}`],
    volumes: [{ source: volumeOf(slug), target: dataPath(image), read_only: false }],
  }
}

const record: Step<ServerCreation> = {
  name: 'process',
  run: async (creation) => {
    const { deps, call, node, server } = creation
    const { id } = await deps.containers.reserve(call, containerRequest(server, node))
    creation.server = await updateServer(deps.store.db, server.id, { process_id: id })
  },
}

const runContainer = async (
  { deps, session, server }: ServerCreation,
  once?: Parameters<AdminDeps['containers']['run']>[2],
): Promise<void> => {
  const { process_id: id } = server
  if (id !== null) await deps.containers.run(session, id, once)
}

/**
 * An empty volume gets its root password; one with data keeps its own. Until this step is done nothing but an interrupted start of
 * it can have written into a volume of this creation, so that is begun anew.
 */
const initialize: Step<ServerCreation> = {
  name: 'initialize',
  run: async (creation) => {
    const { deps, call, server, session } = creation
    const password = openRootPassword(deps.store.cipher, server)
    const { slug, process_id: process, root_password } = server
    // The sealed password is random, so no other server of this slug, before or after, has this mark.
    if (process !== null)
      await session.ask(beginVolume, { volume: volumeOf(slug), mark: sha256(root_password ?? ''), process })
    await runContainer(creation, new Map([[engineRule(server.engine).passwordVariable, password]]))
    await (await adminOf(deps, call, server)).wait()
  },
}

/** Another container of the same volume, without the password in its definition (DBS-031). */
const start: Step<ServerCreation> = {
  name: 'start',
  run: async (creation) => {
    await runContainer(creation)
    await (await adminOf(creation.deps, creation.call, creation.server)).wait()
  },
}

const activate: Step<ServerCreation> = {
  name: 'activate',
  run: async (creation) => {
    const { deps, server } = creation
    const active = { status: 'active', failed_step: null, error_code: null } as const
    creation.server = await updateServer(deps.store.db, server.id, active)
  },
}

/** From the stored record to a server that answers. What failed stays on the record, and the identical request resumes (DBS-033). */
export const serverCreation = stepList<ServerCreation>(
  'database-server-creation',
  () => [record, initialize, start, activate],
  { forwardOnly: true },
)

const NAMES = ['process', 'initialize', 'start', 'activate'] as const

export const creationLog = ({ deps, server }: ServerCreation): StepLog =>
  columnsLog({
    done: () => NAMES.slice(0, NAMES.findIndex((name) => name === server.completed_step) + 1),
    on: {
      done: (completed_step) => ({ completed_step }),
      failed: (failed_step, cause) => ({
        status: 'failed' as const,
        failed_step,
        error_code: codeOf(cause),
      }),
    },
    write: (values: Parameters<typeof updateServer>[2]) => updateServer(deps.store.db, server.id, values),
  })

export async function createServer(creation: ServerCreation): Promise<ServerRecord> {
  await performSteps(serverCreation, creation, {
    call: creation.call,
    log: creationLog(creation),
    clock: creation.deps.clock,
  })
  return creation.server
}
