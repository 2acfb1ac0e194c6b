import { fail } from '@fleet/contract'
import { posix } from 'node:path'
import type { Handler } from '#/handler.ts'
import { readLog } from '#/logs/commands/read-log.ts'
import { maskKeys } from '#/logs/mask-keys.ts'
import { maskOfInstance } from '#/logs/mask-of.ts'
import type { LogsDeps } from '#/logs/deps.ts'
import { frameworkLog } from '#/logs/targets.ts'

/** INS-123, INS-124. Throws `node.not_active`, `logs.read_failed` and those of NodeSession. */
export const makeInstanceLogs =
  (deps: Pick<LogsDeps, 'instances' | 'environment' | 'nodes'>): Handler<'instance:logs'> =>
  async ({ call, input, found }) => {
    const instance = found?.instance ?? (await deps.instances.find(input.instance))
    if (!instance) throw fail('instance.not_found')
    const { id, name, node } = instance
    const details = { node: { id: node.id, name: node.name } }
    if (node.status !== 'active') throw fail('node.not_active', { details })
    const root = posix.dirname(instance.checkout_path)
    const { dir: directory, name: file } = posix.parse(posix.relative(root, frameworkLog(instance)))
    const session = deps.nodes.sessions.overTunnel(call, node)
    const lines = await session.ask(readLog, { root, directory, name: file, lines: input.lines })
    const mask = await maskOfInstance(deps, id)
    return { data: { id, name, lines: input.lines, logs: mask(maskKeys(lines)).join('\n') } }
  }
