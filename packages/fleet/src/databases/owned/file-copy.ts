import { posix } from 'node:path'
import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { OwnedParts } from '#/databases/owned/steps/creation.ts'
import { carrySqlite, copyDatabaseFile, type InstanceRecord } from '#/instances/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'

/** A SQLite file in the checkout of another Instance. */
export interface SourceFile {
  readonly nodeId: number
  readonly checkout: string
  /** Of the file in both checkouts. */
  readonly path: string
}

interface FileWork {
  readonly parts: Pick<OwnedParts, 'nodes'>
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

async function carry({ parts, call, instance, copyOf }: FileWork): Promise<void> {
  const node = await parts.nodes.find(copyOf.nodeId)
  if (!node) throw fail('node.not_found')
  const { overTunnel } = parts.nodes.sessions
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
  { parts, call, instance, copyOf }: FileWork,
  from?: { readonly path: string; readonly root: string },
): Promise<void> {
  const session = parts.nodes.sessions.overTunnel(call, instance.node)
  const to = { path: pathOfCopy(instance, copyOf), root: instance.checkout_path }
  const problem = await copyDatabaseFile(session, from === undefined ? { to } : { from, to })
  if (problem !== undefined) throw failed(problem, instance.node, copyOf)
}

const MESSAGES: Readonly<Record<string, (path: string) => string>> = {
  command_missing: () =>
    'The Node has no executable that copies SQLite files. Install it: `fleet node:converge NODE`.',
  missing: (path) => `The checkout of \`default\` has no file ${path}.`,
  outside: (path) => `A link leads from ${path} out of the checkout, so the file was not copied.`,
  damaged: (path) => `The SQLite file ${path} is damaged, or is no database, so it was not copied.`,
  denied: (path) => `The managed user of the Node may not read or write the SQLite file ${path}.`,
  busy: (path) => `The SQLite file ${path} stayed locked by a writer, so it was not copied. Try again.`,
  full: (path) => `The file system of the Node is too full for a copy of the SQLite file ${path}.`,
  read_only: (path) =>
    `The file system of the Node takes no writes, so the SQLite file ${path} was not copied.`,
  torn: (path) => `The copy of the SQLite file ${path} did not arrive whole. Try again.`,
}

function failed(problem: string, { id, name }: Pick<NodeRecord, 'id' | 'name'>, { path }: SourceFile) {
  const message = MESSAGES[problem]?.(path) ?? `The SQLite file ${path} could not be copied.`
  return fail('database.query_failed', { message, details: { problem, path, node: { id, name } } })
}
