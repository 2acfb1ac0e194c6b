import { posix } from 'node:path'
import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { carrySqlite, copyDatabaseFile, type InstanceRecord, sqliteProblemText } from '#/instances/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'

/** A SQLite file in the checkout of another Instance. */
export interface SourceFile {
  readonly nodeId: number
  readonly checkout: string
  /** Of the file in both checkouts. */
  readonly path: string
}

interface FileWork {
  readonly deps: Pick<OwnedDeps, 'nodes'>
  readonly call: Call
  readonly instance: InstanceRecord
  readonly copyOf: SourceFile
}

export const pathOfCopy = (instance: Pick<InstanceRecord, 'checkout_path'>, { path }: SourceFile): string =>
  posix.join(instance.checkout_path, path)

/** Copies the file of one moment into the checkout, at the same place (INS-063, INS-065). Throws `database.query_failed`. */
export async function copyFile(work: FileWork): Promise<void> {
  const { copyOf, instance } = work
  if (copyOf.nodeId === instance.node_id)
    await ask(work, { path: posix.join(copyOf.checkout, copyOf.path), root: copyOf.checkout })
  else await carry(work)
}

async function carry({ deps, call, instance, copyOf }: FileWork): Promise<void> {
  const node = await deps.nodes.find(copyOf.nodeId)
  if (!node) throw fail('node.not_found')
  const { overTunnel } = deps.nodes.sessions
  const answer = await carrySqlite(
    {
      session: overTunnel(call, node),
      path: posix.join(copyOf.checkout, copyOf.path),
      root: copyOf.checkout,
    },
    {
      session: overTunnel(call, instance.node),
      path: pathOfCopy(instance, copyOf),
      root: instance.checkout_path,
    },
    // The same for each attempt, which removes what a killed one has left on the Node of `default`.
    `copy-${instance.id}`,
  )
  if ('problem' in answer)
    throw failed(answer.problem, answer.end === 'source' ? node : instance.node, copyOf)
}

/** Removes what was copied, as far as it came. Throws `database.query_failed`. */
export const dropFile = (work: FileWork): Promise<void> => ask(work)

async function ask(
  { deps, call, instance, copyOf }: FileWork,
  from?: { readonly path: string; readonly root: string },
): Promise<void> {
  const session = deps.nodes.sessions.overTunnel(call, instance.node)
  const to = { path: pathOfCopy(instance, copyOf), root: instance.checkout_path }
  const problem = await copyDatabaseFile(session, from === undefined ? { to } : { from, to })
  if (problem !== undefined) throw failed(problem, instance.node, copyOf)
}

/** The path is that in the checkout of the Node. */
function failed(problem: string, { id, name }: Pick<NodeRecord, 'id' | 'name'>, { path }: SourceFile) {
  const message = sqliteProblemText(problem, path, name)
  return fail('database.query_failed', { message, details: { problem, path, node: { id, name } } })
}
