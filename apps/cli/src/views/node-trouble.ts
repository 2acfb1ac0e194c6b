import type { NodeDetailData, RoleAssignmentData } from '@fleet/contract'
import { oneLine } from '#/print/text.ts'

/** One thing that is not as it should be, and what to type about it. */
export interface Trouble {
  readonly what: string
  readonly next: string
}

type MessageOf = (code: string) => string | undefined

/** What the record of a Node and its roles say is wrong, the Node first. */
export const wrongOf = (
  node: NodeDetailData,
  roles: readonly RoleAssignmentData[],
  messageOf: MessageOf,
): readonly Trouble[] => [
  ...nodeTrouble(node, messageOf),
  ...roles.flatMap((role) => roleTrouble(node.name, role, messageOf)),
]

function nodeTrouble(node: NodeDetailData, messageOf: MessageOf): readonly Trouble[] {
  const name = oneLine(node.name)
  if (node.status === 'provisioning')
    return [
      {
        what: 'The enrollment is in progress, or was interrupted.',
        next: `fleet activity:list --command node:add shows which. To resume, run the same fleet node:add ${name} … again.`,
      },
    ]
  if (node.error_code === null) return []
  return [
    {
      what: `${stopped(node.status === 'failed' ? 'The enrollment' : 'The last converge', node)} ${reason(node.error_code, messageOf)}`,
      next: `Run the same fleet node:add ${name} … again: it resumes at that step.`,
    },
  ]
}

function roleTrouble(node: string, role: RoleAssignmentData, messageOf: MessageOf): readonly Trouble[] {
  if (role.status === 'active') return []
  const isRemoval = role.status === 'removing'
  const work = isRemoval ? `The removal of ${role.role}` : `The role ${role.role}`
  const what =
    role.error_code === null
      ? `${work} is in progress, or was interrupted.`
      : `${stopped(work, role)} ${reason(role.error_code, messageOf)}`
  return [{ what, next: `fleet node:role:${isRemoval ? 'remove' : 'add'} ${oneLine(node)} ${role.role}` }]
}

const stopped = (work: string, { failed_step: step }: { readonly failed_step: string | null }): string =>
  step === null ? `${work} failed.` : `${work} stopped at step ${oneLine(step)}.`

const reason = (code: string, messageOf: MessageOf): string => {
  const message = messageOf(code)
  return message === undefined ? oneLine(code) : `${message} (${oneLine(code)})`
}
