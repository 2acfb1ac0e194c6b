import type { Host } from '../../lab/index.ts'
import type { Ended, OnStep } from './enrolment-net.ts'

/** Brings something on a host down, and back up. */
export interface Fault {
  readonly name: string
  inject(host: Host): Promise<void>
  clearFaults(host: Host): Promise<void>
}

export const FAULTS: readonly Fault[] = [
  { name: 'cut off', inject: (host) => host.cutOff(), clearFaults: (host) => host.restore() },
  { name: 'full', inject: (host) => host.fillDisk(), clearFaults: async (host) => host.freeDisk() },
  {
    name: 'without power',
    inject: (host) => host.kill(),
    clearFaults: async (host) => {
      await host.revive()
      await host.restore()
    },
  },
]

/** Injects the fault when the step begins, lets the request end as it may, and clears it. */
export const injectAt = <T>(
  step: string,
  fault: Fault,
  host: Host,
  request: (onStep: OnStep) => Promise<Ended<T>>,
): Promise<Ended<T>> => struckWhen((begun) => begun === step, fault, host, request)

/** The same for the first step of which the question, which hears of each in its order, is true. */
export async function struckWhen<T>(
  isNow: (begun: string) => boolean,
  fault: Fault,
  host: Host,
  request: (onStep: OnStep) => Promise<Ended<T>>,
): Promise<Ended<T>> {
  let inject: Promise<void> | undefined
  const ended = await request((begun) => (isNow(begun) ? (inject ??= fault.inject(host)) : undefined))
  await inject
  if (inject) await fault.clearFaults(host)
  return ended
}

/** The steps of a request, in their order. */
export const stepsBegun = ({ steps }: Ended<unknown>): readonly string[] =>
  steps.filter((step) => step.endsWith(' started')).map((step) => step.replace(/ started$/, ''))

/** Those of a request on whole machines in which a fault of a machine can meet something. */
export const begun = (ended: Ended<unknown>): readonly string[] =>
  stepsBegun(ended).filter((step) => ended.asking.has(step))
