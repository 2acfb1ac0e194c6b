/** What every rule of the fleet starts its comment with (FW-015). */
const PREFIX = 'fleet:'

/** Comment of a rule that Fleet itself wants. */
export const managedComment = (name: string): string => `${PREFIX}${name}`

/** Comment of a rule that an operator made (FW-016). */
export const operatorComment = (nodeId: number, name: string): string =>
  `${PREFIX}node:${nodeId}:firewall:${name}`

/** Whether the comment is one of operators' rules, of whatever Node: a machine may have been another Node before. */
export const isOperatorComment = (comment: string): boolean => /^fleet:node:\d+:firewall:/.test(comment)

export const isFleetComment = (comment: string): boolean => comment.startsWith(PREFIX)

/** The name behind a comment of the fleet; null for every other. */
export function nameIn(comment: string | undefined): string | null {
  if (comment === undefined || !isFleetComment(comment)) return null
  return comment.slice(PREFIX.length).replace(/^node:\d+:firewall:/, '')
}
