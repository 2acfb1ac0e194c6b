export type Runtime = 'systemd' | 'docker'

/** A systemd unit or container that carries a Process (AG-032). */
export interface Unit {
  /** Without `.service`. */
  readonly name: string
  readonly runtime: Runtime
  /** The word of systemd or Docker for its state. */
  readonly runtime_status: string
}

/** Names of Processes begin so; everything else on the machine is none of the agent's business (AG-031). */
export const UNIT_PREFIX = 'orbit-process-'

const NAME = /^orbit-process-[A-Za-z0-9:_.@\\-]{1,200}$/
export const isUnitName = (name: string): boolean => NAME.test(name)

/** A state is one lowercase word; anything else is not reported. */
export const isStatus = (status: string): boolean => /^[a-z][a-z-]{0,31}$/.test(status)

/** What is not there reads like one that ended (AG-035). */
export const MISSING = { systemd: 'inactive', docker: 'exited' } as const satisfies Record<Runtime, string>
