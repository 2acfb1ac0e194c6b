import { fail } from '@fleet/contract'
import { posix } from 'node:path'
import type { Handler } from '#/handler.ts'
import { homePaths, type InstanceRecord } from '#/instances/api.ts'
import { type LogPlace, readLog } from '#/logs/commands/read-log.ts'
import { maskTail, withLinesAbove } from '#/logs/mask-keys.ts'
import { maskOfInstance } from '#/logs/mask-of.ts'
import type { LogsDeps } from '#/logs/deps.ts'
import { frameworkLog } from '#/logs/targets.ts'

/** INS-123, INS-124. Throws `node.not_active`, `logs.read_failed` and those of NodeSession. */
export const makeInstanceLogs =
  (deps: Pick<LogsDeps, 'instances' | 'environment' | 'nodes'>): Handler<'instance:logs'> =>
  async ({ call, input: { instance: asked, lines }, found }) => {
    const instance = found?.instance ?? (await deps.instances.find(asked))
    if (!instance) throw fail('instance.not_found')
    const { id, name, node } = instance
    const details = { node: { id: node.id, name: node.name } }
    if (node.status !== 'active') throw fail('node.not_active', { details })
    const served = servedFrom(instance)
    // Nothing has run yet that could have written one.
    if (!served) return { data: { id, name, lines, logs: '' } }
    const login = deps.nodes.sessions.overTunnel(call, node)
    const session = served.user === undefined ? login : login.as(served.user)
    const place = placeOf(instance, served.directory)
    const written = await session.ask(readLog, { ...place, lines: withLinesAbove(lines) })
    const mask = await maskOfInstance(deps, id)
    return { data: { id, name, lines, logs: mask(maskTail(written, lines)).join('\n') } }
  }

/** Where the application runs, and as whom if not as the managed user; undefined in production before the first release. */
function servedFrom(
  instance: InstanceRecord,
): { readonly directory: string; readonly user?: string } | undefined {
  if (instance.environment !== 'production') return { directory: instance.checkout_path }
  const { production_home: home, production_user: user, selected_release: release } = instance
  if (home === null || user === null || release === null) return undefined
  return { directory: homePaths(home).release(release), user }
}

function placeOf(instance: InstanceRecord, checkout_path: string): LogPlace {
  const root = posix.dirname(checkout_path)
  const { dir: directory, name } = posix.parse(
    posix.relative(root, frameworkLog({ ...instance, checkout_path })),
  )
  return { root, directory, name }
}
