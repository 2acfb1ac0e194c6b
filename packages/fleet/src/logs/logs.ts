import { fail, LOG_READ_MAX_BYTES } from '@fleet/contract'
import { processUnitName } from '#/agents/api.ts'
import type { Handler } from '#/handler.ts'
import { readContainerLog } from '#/logs/commands/read-container.ts'
import { readJournal } from '#/managed-services/api.ts'
import { maskTail, withLinesAbove } from '#/logs/mask-keys.ts'
import { maskOf } from '#/logs/mask-of.ts'
import type { LogsDeps } from '#/logs/deps.ts'
import type { LoggedProcess } from '#/logs/ports.ts'
import { ofProcess } from '#/logs/targets.ts'
import type { NodeSession } from '#/nodes/api.ts'

/** PROC-014. Throws `node.not_active`, `process.logs_failed` and those of NodeSession. */
export const makeProcessLogs =
  (deps: Pick<LogsDeps, 'processes' | 'environment' | 'nodes'>): Handler<'process:logs'> =>
  async ({ call, input, found }) => {
    const process = found?.process ?? (await deps.processes.find(input.process))
    if (!process) throw fail('process.not_found')
    const { id, name, node: identity } = process
    const node = found?.process.node ?? (await deps.nodes.find(identity.id))
    if (node?.status !== 'active')
      throw fail('node.not_active', { details: { node: { id: identity.id, name: identity.name } } })
    const session = deps.nodes.sessions.overTunnel(call, node)
    const { lines } = input
    const written = await readTail(session, process, withLinesAbove(lines))
    const mask = await maskOf(deps, ofProcess(process))
    return { data: { id, name, lines, logs: mask(maskTail(written, lines)).join('\n') } }
  }

async function readTail(
  session: NodeSession,
  process: LoggedProcess,
  lines: number,
): Promise<readonly string[]> {
  const name = processUnitName(process)
  if (process.runtime === 'docker')
    return session.ask(readContainerLog, { processId: process.id, container: name, lines })
  const asked = { unit: `${name}.service`, lines, maxBytes: LOG_READ_MAX_BYTES }
  return (await session.ask(readJournal, asked, { broken: 'process.logs_failed' })).lines
}
