import { fail } from '@fleet/contract'
import { fields, MalformedOutput, textField } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'

/** SHA-256 in hex of each file; undefined where it is missing or not as root wrote it. */
export interface AgentState {
  readonly secret: string | undefined
  readonly config: string | undefined
  readonly certificate: string | undefined
  readonly unit: string | undefined
  readonly enabled: boolean
  /** Digest with which the live process began; undefined when none is ready. */
  readonly running: string | undefined
}

/** From fields that `agent_state` wrote. Throws MalformedOutput. */
export const agentStateOf = (answer: ReadonlyMap<string, Buffer>): AgentState => ({
  secret: digestField(answer, 'secret'),
  config: digestField(answer, 'config'),
  certificate: digestField(answer, 'certificate'),
  unit: digestField(answer, 'unit'),
  enabled: textField(answer, 'enabled') === 'enabled',
  running: digestField(answer, 'running'),
})

function digestField(answer: ReadonlyMap<string, Buffer>, name: string): string | undefined {
  const text = textField(answer, name)
  if (text === '') return undefined
  // A tampered file of the machine may hold anything here, which is as good as nothing.
  return /^[0-9a-f]{64}$/.test(text) ? text : undefined
}

/**
 * The fields of a script that ran to its end. Throws `node.agent_install_failed` with `details.outcome`: one of the known
 * reasons, or `script_failed`.
 */
export function answerOf(
  node: NodeRecord,
  result: CommandResult,
  reasons: readonly string[] = [],
): ReadonlyMap<string, Buffer> {
  const refuse = (outcome: string, cause?: unknown): never => {
    throw fail('node.agent_install_failed', { details: { node: identityOf(node), outcome }, cause })
  }
  if (result.exitCode !== 0) return refuse('script_failed')
  const answer = read(result.stdout, refuse)
  const refused = answer.get('refused')?.toString('utf8')
  if (refused !== undefined) return refuse(reasons.includes(refused) ? refused : 'script_failed')
  return answer
}

function read(
  stdout: Buffer,
  refuse: (outcome: string, cause: unknown) => never,
): ReadonlyMap<string, Buffer> {
  try {
    return fields(stdout)
  } catch (error) {
    if (!(error instanceof MalformedOutput)) throw error
    return refuse('script_failed', error)
  }
}
