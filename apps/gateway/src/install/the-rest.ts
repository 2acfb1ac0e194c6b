import type { OperationName } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { perform } from '#/console/perform.ts'
import { Refusal } from '#/console/refusal.ts'
import type { Report } from '#/console/report.ts'
import type { Session } from '#/console/session.ts'
import { messageOf } from '#/reason.ts'
import { callerOf, FIRST_ROLES, shownError, stepsTo } from './first-node.ts'

type GatewayNode = NonNullable<Awaited<ReturnType<Session['services']['nodes']['gateway']>>>

interface Part {
  readonly name: string
  readonly operation: OperationName
  readonly members: Readonly<Record<string, unknown>>
  /** The same as a command. */
  readonly command: string
}

/**
 * What the gateway's machine carried besides: by the records of a backup all of it is converged, but a blank machine has nothing of
 * it, so each part is applied again. Throws a Refusal with the commands that repeat what could not be, after the other parts.
 */
export async function convergeTheRest(session: Session, report: Report): Promise<void> {
  const node = await session.services.nodes.gateway()
  if (node === undefined) throw new Error('the restored records name no gateway')
  const failed: string[] = []
  const commands: string[] = []
  for (const { name, operation, members, command } of partsOf(node)) {
    try {
      await report.step(name, async () => {
        await perform(session, operation, members, { caller: callerOf(node), progress: stepsTo(report) })
      })
    } catch (error) {
      failed.push(`${name}: ${error instanceof CodedError ? shownError(error).message : messageOf(error)}`)
      commands.push(command)
    }
  }
  if (failed.length === 0) return
  throw new Refusal(
    `The gateway is restored and serves its fleet, but not all of its machine was installed again. ${failed.join('; ')}`,
    commands.join(' && '),
  )
}

const partsOf = (node: GatewayNode): readonly Part[] => [
  ...node.activeRoles
    .filter((role) => !FIRST_ROLES.includes(role))
    .map((role) => ({ name: `role ${role}`, ...(role === 'router' ? ofCluster(node) : ofNode(node, role)) })),
  {
    name: 'everything else',
    operation: 'node:converge',
    members: { node: node.id, force: true },
    command: `fleet node:converge ${node.name} --force`,
  },
]

const ofNode = ({ id, name }: GatewayNode, role: string): Omit<Part, 'name'> => ({
  operation: 'node:role:add',
  members: { node: id, role, converge_existing: true },
  command: `fleet node:role:add ${name} ${role} --converge-existing`,
})

const ofCluster = ({ id, name, cluster_id }: GatewayNode): Omit<Part, 'name'> => ({
  operation: 'cluster:router:set',
  members: { cluster: cluster_id, node: id },
  command: `fleet cluster:router:set ${cluster_id} ${name}`,
})
