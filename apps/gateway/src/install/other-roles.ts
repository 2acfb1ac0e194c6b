import { CodedError } from '@fleet/kernel'
import { perform } from '#/console/perform.ts'
import { Refusal } from '#/console/refusal.ts'
import type { Report } from '#/console/report.ts'
import type { Session } from '#/console/session.ts'
import { messageOf } from '#/reason.ts'
import { callerOf, FIRST_ROLES, shownError, stepsTo } from './first-node.ts'

/**
 * What the gateway's machine carried besides: by the records of a backup all of it is converged, but a blank machine has nothing of
 * it, so each part is applied again. Throws a Refusal with the command that repeats it.
 */
export async function convergeOtherRoles(session: Session, report: Report): Promise<void> {
  const node = await session.services.nodes.gateway()
  const others = node?.activeRoles.filter((role) => !FIRST_ROLES.includes(role)) ?? []
  if (node === undefined || others.length === 0) return
  await report.step(`roles ${others.join(', ')}`, async () => {
    try {
      const members = { node: node.id, force: true }
      await perform(session, 'node:converge', members, { caller: callerOf(node), progress: stepsTo(report) })
    } catch (error) {
      throw new Refusal(
        `The gateway is restored and serves its fleet, but its other roles were not installed again: ${reasonOf(error)}`,
        `fleet node:converge ${node.name} --force`,
        error,
      )
    }
  })
}

const reasonOf = (error: unknown): string =>
  error instanceof CodedError ? shownError(error).message : messageOf(error)
