import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { releaseAddresses } from './addresses.ts'
import { abandonedTrees } from './cache.ts'
import { removeLock, removeTraces, tracesOf } from './container-traces.ts'
import { ControlGroup, groupsOf } from './control-group.ts'
import { detachBelow, devicesBelow } from './loop-device.ts'
import { restoreSettings } from './machine-settings.ts'
import { mountsBelow, isMounted, unmount } from './mounts.ts'
import { removeBridge, removeInterface, removeNamespace } from './network.ts'
import { CACHE_FOLDER, type Place, STATE_FOLDER } from './place.ts'
import { LabFault } from './program.ts'

const NAMESPACES = '/run/netns'

/**
 * Removes all that a lab has on this machine, found by its prefix and not by its records, so also after a crash in the
 * middle of anything. The cached trees stay. Answers what was there, in words; nothing for a lab that did not exist.
 */
export async function removeLab(place: Place): Promise<readonly string[]> {
  const found = await remainsOf(place)
  for (const id of groupsOf(place.prefix)) await endHost(id)
  for (const path of mountsBelow(place.folder)) await release(path)
  await detachBelow(place.folder)
  for (const cable of cablesOf(place)) await removeInterface(cable)
  for (const id of namesIn(NAMESPACES, `${place.prefix}-`)) await removeNamespace(id)
  await removeBridge(place)
  for (const id of tracesOf(place.prefix)) removeTraces(id)
  // Through a mount that stayed, this would delete what a host or a cached tree holds.
  if (mountsBelow(place.folder).length > 0)
    throw new LabFault(`something is still mounted below ${place.folder}`)
  rmSync(place.folder, { recursive: true, force: true })
  if (releaseAddresses(place)) await leaveMachine()
  await removeAbandoned()
  return found
}

/** Everything on this machine that carries the lab's prefix. */
export async function remainsOf(place: Place): Promise<readonly string[]> {
  return [
    ...groupsOf(place.prefix).map((id) => `processes of ${id}`),
    ...mountsBelow(place.folder).map((path) => `mount ${path}`),
    ...(await devicesBelow(place.folder)).map((device) => `block device ${device}`),
    ...namesIn(NAMESPACES, `${place.prefix}-`).map((id) => `network namespace ${id}`),
    ...namesIn('/sys/class/net', place.prefix).map((name) => `interface ${name}`),
    ...tracesOf(place.prefix).map((id) => `container folder ${id}`),
    ...namesIn(STATE_FOLDER, place.prefix).map((name) => `folder ${join(STATE_FOLDER, name)}`),
  ]
}

async function endHost(id: string): Promise<void> {
  const group = new ControlGroup(id)
  await group.kill()
  group.remove()
}

async function release(path: string): Promise<void> {
  removeLock(path)
  await unmount(path)
}

/** The last lab puts back what all labs shared. */
async function leaveMachine(): Promise<void> {
  restoreSettings()
  // Only when empty: another checkout may be about to make its lab.
  for (const folder of [join(STATE_FOLDER, 'octets'), STATE_FOLDER]) removeIfEmpty(folder)
  // `ip netns` mounts the folder onto itself at the first namespace and leaves it so.
  if (namesIn(NAMESPACES, '').length === 0 && isMounted(NAMESPACES)) {
    await unmount(NAMESPACES)
    rmdirSync(NAMESPACES)
  }
}

function removeIfEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
}

async function removeAbandoned(): Promise<void> {
  for (const name of abandonedTrees()) {
    const path = join(CACHE_FOLDER, name)
    for (const mount of mountsBelow(path)) await unmount(mount)
    rmSync(path, { recursive: true, force: true })
  }
}

/** Every cable of a host, also one that a test laid itself; the bridge has the prefix alone. */
const cablesOf = ({ prefix }: Place): readonly string[] =>
  namesIn('/sys/class/net', prefix).filter((name) => name !== prefix)

function namesIn(folder: string, prefix: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(prefix))
  } catch {
    return []
  }
}
