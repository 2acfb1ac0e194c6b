import { fail, LOG_READ_MAX_BYTES } from '@fleet/contract'
import { processUnitName } from '#/agents/api.ts'
import type { Handler } from '#/handler.ts'
import { readJournal } from '#/managed-services/api.ts'
import { maskKeys } from '#/logs/mask-keys.ts'
import { maskOf } from '#/logs/mask-of.ts'
import type { LogsParts } from '#/logs/parts.ts'

/** PROC-014. Throws `node.not_active`, `process.logs_failed` and those of NodeSession. */
export const makeProcessLogs =
  (parts: Pick<LogsParts, 'processes' | 'environment' | 'nodes'>): Handler<'process:logs'> =>
  async ({ call, input, found }) => {
    const process = found?.process ?? (await parts.processes.find(input.process))
    if (!process) throw fail('process.not_found')
    const { id, name, node: identity } = process
    const node = found?.process.node ?? (await parts.nodes.find(identity.id))
    if (node?.status !== 'active')
      throw fail('node.not_active', { details: { node: { id: identity.id, name: identity.name } } })
    const unit = `${processUnitName(process)}.service`
    const session = parts.nodes.sessions.overTunnel(call, node)
    const asked = { unit, lines: input.lines, maxBytes: LOG_READ_MAX_BYTES }
    const { lines } = await session.ask(readJournal, asked, { broken: 'process.logs_failed' })
    const mask = await maskOf(parts, process)
    return { data: { id, name, lines: input.lines, logs: mask(maskKeys(lines)).join('\n') } }
  }
