import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { sampled } from '@fleet/testing/sample'
import { killGateway, requireBack, struckWhen } from './gateway-deaths.ts'
import type { InstalledFleet } from './installed.ts'
import type { SlowPrograms } from './slow-programs.ts'
import { stepsOf } from './steps.ts'

export type Words = readonly [string, ...string[]]

/** Who dies in the middle of a request, and what brings it back. */
export interface Victim {
  readonly name: 'gateway' | 'Node'
  strike(fleet: InstalledFleet): Promise<unknown>
  back(fleet: InstalledFleet): Promise<unknown>
}

const GATEWAY: Victim = {
  name: 'gateway',
  strike: ({ gateway }) => killGateway(gateway.host),
  back: ({ gateway }) => requireBack(gateway.host),
}

/** The gateway, and the power of a Node. */
export const victims = (node: string): readonly Victim[] => [
  GATEWAY,
  { name: 'Node', strike: (fleet) => fleet.node(node).kill(), back: (fleet) => fleet.node(node).revive() },
]

/** A Node that dies costs a start of it and the patience of the gateway, so that a run kills it in every other step. */
const EVERY: Readonly<Record<Victim['name'], number>> = { gateway: 1, Node: 2 }

/** What slow programs add to a step that asks the Node, less what clocks may differ. */
const ASKING_SECONDS = 0.4

/** Lets a request come to its end. Answers those of its steps that ask the Node, whose programs are slow. */
export async function askingSteps(fleet: InstalledFleet, words: Words): Promise<readonly string[]> {
  const { status, stderr } = await fleet.gateway.fleet(words)
  assert.equal(status, 0, stderr)
  return stepsOf(stderr)
    .steps.filter(({ seconds }) => (seconds ?? 0) >= ASKING_SECONDS)
    .map(({ name }) => name)
}

export interface Sweep {
  readonly fleet: InstalledFleet
  readonly slow: SlowPrograms
  readonly victim: Victim
  readonly context: TestContext
}

/**
 * Sends a request once for each step that asks the Node, and lets somebody die while that runs: all that does not ask it is
 * over before anybody could die. `finish` gets the same request after that.
 */
export async function diesInEach(
  { fleet, slow, victim, context }: Sweep,
  steps: readonly string[],
  request: (step: string) => Promise<Words>,
  finish: (words: Words, step: string) => Promise<void>,
): Promise<void> {
  for (const step of sampled(steps, EVERY[victim.name])) {
    const words = await request(step)
    const earlier = steps[steps.indexOf(step) - 1]
    slow.forget()
    const isIn = (reported: string): boolean =>
      earlier === undefined ? slow.hasBegun() : reported.includes(`${earlier}: done`)
    const { status, reported } = await struckWhen(fleet.gateway.host, words, isIn, () => victim.strike(fleet))
    await victim.back(fleet)
    context.diagnostic(`the ${victim.name} died in ${step} of ${words[0]}`)
    assert.notEqual(status, 0, step)
    assert.ok(isIn(reported) && !reported.includes(`${step}: done`), `${step} was over:\n${reported}`)
    await finish(words, step)
  }
}
