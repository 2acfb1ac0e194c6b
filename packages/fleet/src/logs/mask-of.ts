import { makeMask, type Mask, maskShapes } from '#/logs/mask.ts'
import type { LogsDeps } from '#/logs/deps.ts'
import type { LogTarget } from '#/logs/targets.ts'

/** What is stored at this moment; each renewal reads it again, so a new secret is masked within 20 s. */
export async function maskOf(
  { environment, processes }: Pick<LogsDeps, 'environment' | 'processes'>,
  { instanceId, process }: Pick<LogTarget, 'instanceId' | 'process'>,
): Promise<Mask> {
  const ofInstance = instanceId === undefined ? maskShapes : await maskOfInstance({ environment }, instanceId)
  if (!process) return ofInstance
  const ofProcess = makeMask(await processes.secretsOf(process))
  return (lines) => ofInstance(ofProcess(lines))
}

export async function maskOfInstance(
  { environment }: Pick<LogsDeps, 'environment'>,
  instanceId: number,
): Promise<Mask> {
  const stored = makeMask(await environment.stored(instanceId))
  return (lines) => maskShapes(stored(lines))
}
