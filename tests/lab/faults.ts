import type { Host } from '../../lab/index.ts'
import type { Ended, OnStep } from './enrolment-net.ts'

/** Brings something on a host down, and back up. */
export interface Fault {
  readonly name: string
  strike(host: Host): Promise<void>
  heal(host: Host): Promise<void>
}

export const FAULTS: readonly Fault[] = [
  { name: 'cut off', strike: (host) => host.cutOff(), heal: (host) => host.restore() },
  { name: 'full', strike: (host) => host.fillDisk(), heal: async (host) => host.freeDisk() },
  {
    name: 'without power',
    strike: (host) => host.kill(),
    heal: async (host) => {
      await host.revive()
      await host.restore()
    },
  },
]

/** Strikes as soon as the step begins, lets the request end as it may, and heals. */
export async function struckAt<T>(
  step: string,
  fault: Fault,
  host: Host,
  request: (onStep: OnStep) => Promise<Ended<T>>,
): Promise<Ended<T>> {
  let strike: Promise<void> | undefined
  const ended = await request((begun) => (begun === step ? (strike ??= fault.strike(host)) : undefined))
  await strike
  if (strike) await fault.heal(host)
  return ended
}

/** The steps of a request on whole machines in which a fault of a machine can meet something, in their order. */
export const begun = ({ steps, asking }: Ended<unknown>): readonly string[] =>
  steps
    .filter((step) => step.endsWith(' started'))
    .map((step) => step.replace(/ started$/, ''))
    .filter((step) => asking.has(step))
