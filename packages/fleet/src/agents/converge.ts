import { fail } from '@fleet/contract'
import { CodedError, Secret } from '@fleet/kernel'
import { MalformedOutput } from '@fleet/shell'
import { agentStateOf, answerOf } from '#/agents/commands/answers.ts'
import { applyAgent, applyReasons } from '#/agents/commands/apply-agent.ts'
import { inspectAgent } from '#/agents/commands/inspect-agent.ts'
import { decide } from '#/agents/decide.ts'
import { type AgentFiles, agentFiles, sha256 } from '#/agents/files.ts'
import type { AgentsParts } from '#/agents/parts.ts'
import { AGENT_PLACE } from '#/agents/place.ts'
import { findSecretHash, storeSecretHash } from '#/agents/queries.ts'
import { holding } from '#/holding.ts'
import type { NodeAgent } from '#/agents/node-agent.ts'
import {
  EXECUTABLE_PLACE,
  executableFor,
  executableStateOf,
  identityOf,
  type Machine,
  settleExecutable,
} from '#/nodes/api.ts'

const LOCK = { waitMilliseconds: 120_000, leaseSeconds: 420, busy: 'agent.converge_busy' } as const
const SECRET_BYTES = 32

/**
 * Puts executable, secret, configuration, certificate and unit on a Node and restarts the agent when one of them changed;
 * one round trip when none did. The hash of a new secret is stored last: whatever breaks before leads to another secret
 * at the next converge (AGT-014, AGT-015). Throws `agent.*`, `cli.*`, `node.agent_install_failed` and what Machine throws.
 */
export const makeConverge =
  (parts: AgentsParts): NodeAgent['converge'] =>
  (machine, { force }) =>
    holding(parts.store, machine.call, { lock: `node-agent:${machine.node.id}`, ...LOCK }, (lock) =>
      converge(parts, machine.under(lock, 'agent.converge_lock_lost'), force),
    )

async function converge(
  parts: AgentsParts,
  machine: Machine,
  force: boolean,
): Promise<'applied' | 'unchanged'> {
  const { executable, agent } = parts.places ?? { executable: EXECUTABLE_PLACE, agent: AGENT_PLACE }
  const target = await requireTarget(parts)
  const answer = answerOf(machine.node, await machine.asRoot(inspectAgent(executable, agent)))
  const found = parsed(machine, () => ({ program: executableStateOf(answer), agent: agentStateOf(answer) }))
  const { sha256: program } = await executableFor(machine, parts.executables, found.program.architecture)
  const wanted = agentFiles(target, program, executable)
  const secretHash = await findSecretHash(parts.store.db, machine.node.id)
  const decision = decide(found.agent, wanted, { secretHash, force })
  const placed = await asAgent(settleExecutable(machine, parts.executables, found.program, executable))
  if (!decision.apply && !placed.changed) return 'unchanged'
  const secret = decision.newSecret ? parts.ids.hex(SECRET_BYTES) : undefined
  const command = applyAgent(agent, {
    files: wanted,
    secret: secret === undefined ? undefined : new Secret(secret),
    restart: decision.restart || placed.changed,
    userHome: machine.node.user_home,
  })
  const written = answerOf(machine.node, await machine.asRoot(command), applyReasons)
  requireWanted(
    machine,
    parsed(machine, () => agentStateOf(written)),
    wanted,
    secret,
  )
  if (secret !== undefined) await storeSecretHash(parts.store.db, machine.node.id, sha256(secret))
  return 'applied'
}

/** Throws `agent.not_configured`. */
export async function requireTarget({ gateway }: AgentsParts) {
  const target = await gateway.target()
  if (!target) throw fail('agent.not_configured')
  return target
}

/** AGT-019 names the agent's checksum, whose program is the one executable. */
async function asAgent<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'cli.checksum_mismatch') throw error
    throw fail('agent.checksum_mismatch', { details: { ...error.details }, cause: error })
  }
}

function parsed<T>({ node }: Machine, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MalformedOutput)) throw error
    const details = { node: identityOf(node), outcome: 'script_failed' }
    throw fail('node.agent_install_failed', { details, cause: error })
  }
}

function requireWanted(
  { node }: Machine,
  found: ReturnType<typeof agentStateOf>,
  wanted: AgentFiles,
  secret: string | undefined,
): void {
  const secretHash = secret === undefined ? found.secret : sha256(secret)
  if (!decide(found, wanted, { secretHash, force: false }).apply) return
  throw fail('node.agent_install_failed', { details: { node: identityOf(node), outcome: 'not_confirmed' } })
}
