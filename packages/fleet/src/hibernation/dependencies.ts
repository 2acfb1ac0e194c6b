import { run, textFile } from '@fleet/shell'
import type { Call } from '#/call.ts'
import type { InstanceRecord, Instances, StepEnd } from '#/instances/api.ts'

const PRUNE_SECONDS = 300

type Runner = Pick<Instances, 'runCommand'>

/**
 * Removes `vendor` and `node_modules`, which a lock file brings back: only where Git ignores them and holds nothing below
 * (HIB-010).
 */
export const pruneDependencies = (
  instances: Runner,
  call: Call,
  instance: InstanceRecord,
): Promise<StepEnd | 'succeeded'> =>
  runBelow(instances, call, instance, {
    name: 'prune',
    text: textFile('prune.sh', import.meta.url),
    limitSeconds: PRUNE_SECONDS,
  })

/** Installs what the lock files say where it is missing. */
export const restoreDependencies = (
  instances: Runner,
  call: Call,
  instance: InstanceRecord,
  limitSeconds: number,
): Promise<StepEnd | 'succeeded'> =>
  runBelow(instances, call, instance, {
    name: 'dependencies',
    text: textFile('restore.sh', import.meta.url),
    limitSeconds,
  })

const runBelow = (
  instances: Runner,
  call: Call,
  instance: InstanceRecord,
  {
    name,
    text,
    limitSeconds,
  }: { readonly name: string; readonly text: string; readonly limitSeconds: number },
): Promise<StepEnd | 'succeeded'> => {
  const below = instance.profile?.applicationDirectory ?? ''
  const directory = below === '' ? '.' : `./${below}`
  const command = `${run('cd', '--', directory).line}\n${text}`
  return instances.runCommand(call, instance, { name, command, limitSeconds })
}
