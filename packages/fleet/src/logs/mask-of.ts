import { makeMask, type Mask, noMask } from '#/logs/mask.ts'
import type { LogsParts } from '#/logs/parts.ts'
import type { LogTarget } from '#/logs/targets.ts'

/** What is stored at this moment; each renewal reads it again, so a new secret is masked within 20 s. */
export const maskOf = async (
  { environment }: Pick<LogsParts, 'environment'>,
  { instanceId }: Pick<LogTarget, 'instanceId'>,
): Promise<Mask> => (instanceId === undefined ? noMask : makeMask(await environment.stored(instanceId)))
