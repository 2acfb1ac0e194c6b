import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from '@fleet/kernel'
import { makePerson, type Person } from '../../apps/cli/src/run-harness.ts'
import type { FeedWorld } from './world.ts'

/** Ten seconds of it are one. */
export const quickClock: Clock = {
  now: () => systemClock.now(),
  ticks: () => systemClock.ticks() * 10,
  sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / 10, signal),
  timer: (milliseconds) => systemClock.timer(milliseconds / 10),
}

/** A person at the gateway's own machine, whose fleet is the one of the world. */
export function personAt({ fleet }: Pick<FeedWorld, 'fleet'>): Person {
  const person = makePerson(quickClock)
  const home = join(person.home, 'checkout', '.fleet')
  mkdirSync(home, { recursive: true })
  const embedded = { base_url: fleet.url, ca_file: fleet.gateway.caFile, nodes: [], pid: process.pid }
  writeFileSync(join(home, 'embedded.json'), JSON.stringify(embedded))
  return person
}
