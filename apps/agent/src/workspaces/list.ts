import { isAbsolute } from 'node:path'
import { type Gateway, GatewayFailure, isObject } from '../gateway.ts'
import type { WantedWorkspace } from './workspace.ts'

const WORKSPACES_MAX = 64

/** The checkouts to watch. Throws GatewayFailure. */
export async function askWorkspaces(
  gateway: Gateway,
  signal: AbortSignal,
): Promise<readonly WantedWorkspace[]> {
  const data = await gateway.get('workspaces', signal)
  if (!Array.isArray(data)) throw new GatewayFailure('malformed_answer')
  return data.slice(0, WORKSPACES_MAX).map(wanted)
}

function wanted(entry: unknown): WantedWorkspace {
  const { instance_id, path, base, start } = isObject(entry) ? entry : {}
  if (
    typeof instance_id !== 'number' ||
    typeof path !== 'string' ||
    !isAbsolute(path) ||
    typeof base !== 'string' ||
    !isBranch(base) ||
    (typeof start !== 'string' && start !== null)
  )
    throw new GatewayFailure('malformed_answer')
  return { instance_id, path, base, start }
}

/** Part of a path and a word of a command: never a way out of a folder, never an option. */
const isBranch = (name: string): boolean =>
  name.length > 0 && name.length <= 255 && !name.startsWith('-') && !/\.\.|[\0-\x20~^:?*[\\]/.test(name)
