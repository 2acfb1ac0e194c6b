import { fail } from '@fleet/contract'
import { posix } from 'node:path'
import { processUnitName } from '#/agents/api.ts'
import type { InstanceRecord, Instances } from '#/instances/api.ts'
import type { LoggedProcess, LogProcesses, LogSecrets, LogSource } from '#/logs/ports.ts'
import type { LogOwner } from '#/logs/stream.ts'

/** What a log is of and where it is read. */
export interface LogTarget {
  readonly owner: LogOwner
  readonly nodeId: number
  /** The agent of a Node that is not active gets no list, so it never hears of a stream. */
  readonly isNodeActive: boolean
  readonly environment: 'development' | 'production'
  readonly source: LogSource
  /** Whose stored values are masked. */
  readonly instanceId: number | undefined
  /** Whose own values are masked too. */
  readonly process?: LogSecrets
}

export interface TargetDeps {
  readonly instances: Pick<Instances, 'find'>
  readonly processes: LogProcesses
}

/** Undefined for a record that is not there any more. */
export async function findTarget(deps: TargetDeps, owner: LogOwner): Promise<LogTarget | undefined> {
  if (owner.type === 'instance') {
    const instance = await deps.instances.find(owner.id)
    return instance && ofInstance(instance)
  }
  const process = await deps.processes.find(owner.id)
  return process && ofProcess(process)
}

/** Throws `instance.not_found` or `process.not_found`. */
export async function requireTarget(
  deps: TargetDeps,
  owner: LogOwner,
  found?: LogTarget,
): Promise<LogTarget> {
  const target = found ?? (await findTarget(deps, owner))
  if (!target) throw fail(owner.type === 'instance' ? 'instance.not_found' : 'process.not_found')
  return target
}

export const ofInstance = (instance: InstanceRecord): LogTarget => ({
  owner: { type: 'instance', id: instance.id },
  nodeId: instance.node_id,
  isNodeActive: instance.node.status === 'active',
  environment: instance.environment === 'production' ? 'production' : 'development',
  source: { type: 'laravel', path: frameworkLog(instance), checkout: instance.checkout_path },
  instanceId: instance.id,
})

/** The framework's log file in the application directory; the reader takes the newest dated one where it is absent (INS-124). */
export const frameworkLog = ({
  checkout_path,
  profile,
}: Pick<InstanceRecord, 'checkout_path' | 'profile'>): string =>
  posix.join(checkout_path, profile?.applicationDirectory ?? '', 'storage/logs/laravel.log')

export function ofProcess(process: LoggedProcess): LogTarget {
  const name = processUnitName(process)
  return {
    owner: { type: 'process', id: process.id },
    nodeId: process.node.id,
    isNodeActive: process.node.status === 'active',
    environment: process.environment,
    source:
      process.runtime === 'systemd'
        ? { type: 'journal', unit: `${name}.service` }
        : { type: 'docker', container: name, process_id: process.id },
    instanceId: process.instanceId,
    process,
  }
}
