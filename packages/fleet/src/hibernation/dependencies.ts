import { run, textFile } from '@fleet/shell'
import type { Call } from '#/call.ts'
import type { InstanceRecord, Instances, StepEnd } from '#/instances/api.ts'

const LOOK_SECONDS = 60
const PRUNE_SECONDS = 300

type Runner = Pick<Instances, 'runCommand'>

const PRUNABLE = textFile('prunable.sh', import.meta.url)
/** What runs in a checkout, at the folder of the application, after `prunable.sh`. */
const DEPENDENCY_SCRIPTS = {
  'prune-look': '[ -n "$(prunable)" ]',
  prune: textFile('prune.sh', import.meta.url),
  dependencies: textFile('restore.sh', import.meta.url),
} as const

/** Whether something is there that `pruneDependencies` removes: `failed` when not. */
export const lookForPrunable = (
  instances: Runner,
  call: Call,
  instance: InstanceRecord,
): Promise<StepEnd | 'succeeded'> =>
  runBelow(instances, call, instance, { name: 'prune-look', limitSeconds: LOOK_SECONDS })

/**
 * Removes `vendor` and `node_modules`, which a lock file brings back: only where Git ignores them and holds nothing below
 * (HIB-010). Which of them it removes is noted in the folder of Git first.
 */
export const pruneDependencies = (
  instances: Runner,
  call: Call,
  instance: InstanceRecord,
): Promise<StepEnd | 'succeeded'> =>
  runBelow(instances, call, instance, { name: 'prune', limitSeconds: PRUNE_SECONDS })

/** Installs what the lock files say where it was removed and is missing, or where an installation was cut off (decision 0349). */
export const restoreDependencies = (
  instances: Runner,
  call: Call,
  instance: InstanceRecord,
  limitSeconds: number,
): Promise<StepEnd | 'succeeded'> =>
  runBelow(instances, call, instance, { name: 'dependencies', limitSeconds })

const runBelow = (
  instances: Runner,
  call: Call,
  instance: InstanceRecord,
  { name, limitSeconds }: { readonly name: keyof typeof DEPENDENCY_SCRIPTS; readonly limitSeconds: number },
): Promise<StepEnd | 'succeeded'> => {
  const below = instance.profile?.applicationDirectory ?? ''
  const directory = below === '' ? '.' : `./${below}`
  const command = [run('cd', '--', directory).line, PRUNABLE, DEPENDENCY_SCRIPTS[name]].join('\n')
  return instances.runCommand(call, instance, { name, command, limitSeconds })
}
