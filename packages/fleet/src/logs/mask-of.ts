import { makeMask, type Mask, noMask } from '#/logs/mask.ts'
import type { LogsParts } from '#/logs/parts.ts'
import type { LogTarget } from '#/logs/targets.ts'

/** What is stored at this moment; each renewal reads it again, so a new secret is masked within 20 s. */
export async function maskOf(
  { environment, processes }: Pick<LogsParts, 'environment' | 'processes'>,
  { instanceId, owner }: Pick<LogTarget, 'instanceId' | 'owner'>,
): Promise<Mask> {
  const ofInstance = instanceId === undefined ? noMask : await maskOfInstance({ environment }, instanceId)
  if (owner.type === 'instance') return ofInstance
  const ofProcess = makeMask(await processes.secretsOf(owner.id))
  return (lines) => ofProcess(ofInstance(lines))
}

export const maskOfInstance = async (
  { environment }: Pick<LogsParts, 'environment'>,
  instanceId: number,
): Promise<Mask> => makeMask(await environment.stored(instanceId))
