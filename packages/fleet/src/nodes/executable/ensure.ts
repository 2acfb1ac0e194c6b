import { fail } from '@fleet/contract'
import type { NodeSession } from '#/nodes/api.ts'
import type { ExecutableState } from '#/nodes/executable/answer.ts'
import {
  EXECUTABLE_PLACE,
  type ExecutablePlace,
  inspectExecutable,
  linkExecutable,
  placeExecutable,
} from '#/nodes/executable/scripts.ts'
import type { NodeExecutable, NodeExecutables } from '#/nodes/ports.ts'
import { identityOf } from '#/nodes/present.ts'

export interface PlacedExecutable {
  readonly version: string
  readonly sha256: string
  /** False when it stood there already; then one round trip was all. */
  readonly changed: boolean
}

/**
 * The one executable at /opt/fleet/bin/fleet, owned by root, 0755, with the link /usr/local/bin/fleet. A foreign program
 * in the place of the link stays and is noted as `cli.foreign_binary`. May be repeated. Throws `cli.*` codes and those of NodeSession.
 */
export async function ensureExecutable(
  session: NodeSession,
  executables: NodeExecutables,
  place: ExecutablePlace = EXECUTABLE_PLACE,
): Promise<PlacedExecutable> {
  const found = await session.ask(inspectExecutable, place)
  return settleExecutable(session, executables, found, place)
}

/** The same from a state that somebody has asked for already, such as together with other files. */
export async function settleExecutable(
  session: NodeSession,
  executables: NodeExecutables,
  found: ExecutableState,
  place: ExecutablePlace = EXECUTABLE_PLACE,
): Promise<PlacedExecutable> {
  const executable = await executableFor(session, executables, found.architecture)
  const { version, sha256 } = executable
  const changed = found.sha256 !== sha256
  let state = found
  if (changed) state = await upload(session, place, sha256, await executable.read())
  if (state.command === 'missing' || !state.sealed)
    state = await session.ask(linkExecutable, { ...place, ...state })
  if (state.command === 'missing')
    throw fail('cli.configuration_failed', { details: { node: identityOf(session.node) } })
  if (state.command === 'foreign') noteForeign(session)
  return { version, sha256, changed }
}

/** Throws `cli.architecture_unsupported`. */
export async function executableFor(
  { node }: Pick<NodeSession, 'node'>,
  executables: NodeExecutables,
  architecture: string,
): Promise<NodeExecutable> {
  const executable = await executables.find(architecture)
  if (!executable)
    throw fail('cli.architecture_unsupported', { details: { node: identityOf(node), architecture } })
  return executable
}

function upload(
  session: NodeSession,
  place: ExecutablePlace,
  sha256: string,
  gzip: Buffer,
): Promise<ExecutableState> {
  // RFC 1952, 2.3.1: the last four bytes are the size of what was packed.
  const size = gzip.readUInt32LE(gzip.length - 4)
  return session.ask(placeExecutable, { ...place, sha256, size, gzip })
}

function noteForeign({ call, node }: NodeSession): void {
  call.note.property('cli', 'cli.foreign_binary')
  call.log('a foreign program stands in the place of the command', { node: identityOf(node) })
}
