import { fail } from '@fleet/contract'
import type { NodeExecutable, NodeExecutables } from '#/managed-services/executable/release.ts'
import {
  EXECUTABLE_PLACE,
  type ExecutablePlace,
  inspectExecutable,
  linkExecutable,
  type OnForeignCommand,
  placeExecutable,
} from '#/managed-services/executable/scripts.ts'
import type { ExecutableState } from '#/managed-services/executable/state.ts'
import { identityOf, type NodeSession } from '#/nodes/api.ts'

export interface PlacedExecutable {
  readonly version: string
  readonly sha256: string
  /** False when it was there already; then one round trip was all. */
  readonly changed: boolean
}

/**
 * The one executable at /opt/fleet/bin/fleet, owned by root, 0755, with the link /usr/local/bin/fleet. A foreign program
 * in the place of the link stays and is noted as `cli.foreign_binary`, unless it is to be replaced. May be repeated. Throws `cli.*` codes and those of NodeSession.
 */
export async function ensureExecutable(
  node: NodeSession,
  executables: NodeExecutables,
  { place = EXECUTABLE_PLACE, onForeign = 'leave' }: Partial<ExecutableOptions> = {},
): Promise<PlacedExecutable> {
  const found = await node.ask(inspectExecutable, place)
  return settleExecutable(node, executables, found, { place, onForeign })
}

export interface ExecutableOptions {
  readonly place: ExecutablePlace
  readonly onForeign: OnForeignCommand
}

/** The same from a state that was asked for together with something else. */
export async function settleExecutable(
  node: NodeSession,
  executables: NodeExecutables,
  found: ExecutableState,
  { place, onForeign }: ExecutableOptions,
): Promise<PlacedExecutable> {
  const executable = await executableFor(node, executables, found.architecture)
  const { version, sha256 } = executable
  const replaces = found.command === 'foreign' && onForeign === 'replace'
  const changed = found.sha256 !== sha256 || replaces
  let state = found
  if (found.sha256 !== sha256)
    state = await node.ask(placeExecutable, { place, sha256, gzip: await executable.read() })
  if (state.command === 'missing' || !state.sealed || replaces)
    state = await node.ask(linkExecutable, { place, found: state, onForeign })
  if (state.command === 'missing')
    throw fail('cli.configuration_failed', { details: { node: identityOf(node.node) } })
  if (state.command === 'foreign') noteForeign(node)
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

function noteForeign({ call, node }: NodeSession): void {
  call.note.property('cli', 'cli.foreign_binary')
  call.log('another program has the name of the command', { node: identityOf(node) })
}
