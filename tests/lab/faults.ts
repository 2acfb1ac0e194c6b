import type { Host } from '../../lab/index.ts'
import type { Ended, OnStep } from './enrolment-net.ts'

/** Brings something on a host down, and back up. */
export interface Fault {
  readonly name: string
  strike(host: Host): Promise<void>
  clearFaults(host: Host): Promise<void>
}

export const FAULTS: readonly Fault[] = [
  { name: 'cut off', strike: (host) => host.cutOff(), clearFaults: (host) => host.restore() },
  { name: 'full', strike: (host) => host.fillDisk(), clearFaults: async (host) => host.freeDisk() },
  {
    name: 'without power',
    strike: (host) => host.kill(),
    clearFaults: async (host) => {
      await host.revive()
      await host.restore()
    },
  },
]

/** Strikes as soon as the step begins, lets the request end as it may, and heals. */
export const struckAt = <T>(
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
  let strike: Promise<void> | undefined
  const ended = await request((begun) => (isNow(begun) ? (strike ??= fault.strike(host)) : undefined))
  await strike
  if (strike) await fault.clearFaults(host)
  return ended
}

/** The steps of a request, in their order. */
export const stepsBegun = ({ steps }: Ended<unknown>): readonly string[] =>
  steps.filter((step) => step.endsWith(' started')).map((step) => step.replace(/ started$/, ''))

/** Those of a request on whole machines in which a fault of a machine can meet something. */
export const begun = (ended: Ended<unknown>): readonly string[] =>
  stepsBegun(ended).filter((step) => ended.asking.has(step))
