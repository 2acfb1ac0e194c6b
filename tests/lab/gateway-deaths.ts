import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isSampled } from '@fleet/testing/sample'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { stepsOf } from './steps.ts'

const TOLD = '/root/steps'
const REQUEST_SECONDS = 300
const POLL_MILLISECONDS = 10
const RESTART_SECONDS = 60

type Words = readonly string[]

/**
 * Lets a command come to its end. Answers the steps that took their time, in their order: a death after one that took none
 * is a death after the step before it.
 */
export async function stepsDone(gateway: Host, words: Words): Promise<readonly string[]> {
  const { status, stderr } = await gateway.attempt(['fleet', ...words], { timeoutSeconds: REQUEST_SECONDS })
  assert.equal(status, 0, stderr)
  const { steps } = stepsOf(stderr)
  return steps.filter((step) => step.status === 'done' && step.seconds !== 0).map(({ name }) => name)
}

export interface Deaths {
  readonly steps: readonly string[]
  readonly words: Words
  /** So many of the last steps may be over, with all that follows, before anybody could be killed. */
  readonly ending: number
  /** Makes the request possible anew when it came to its end before the gateway died. */
  readonly undo?: () => Promise<unknown>
  /** Looks at what stands after a death before the ending. */
  readonly look?: (step: string) => Promise<void>
  readonly report: (line: string) => void
}

/** A run kills the gateway at every other step; which ones follows from its seed. */
const EVERY = 2

/** Sends the same request again and again, each time killed at a later step. */
export async function killedAtEach(gateway: Host, deaths: Deaths): Promise<void> {
  const { steps, words, ending, undo, look, report } = deaths
  for (const [at, step] of steps.entries()) {
    if (!isSampled(at, EVERY)) continue
    const isEnding = at >= steps.length - ending
    let killed = await killedAfter(gateway, step, words)
    // An earlier death came later than it, so that the request had it behind itself: this time from the beginning.
    if (!killed.isReached && undo) {
      await undo()
      killed = await killedAfter(gateway, step, words)
    }
    assert.ok(killed.isReached, `${step} was not reached:\n${killed.reported}`)
    report(`killed after ${step}: the command ended with ${killed.status}`)
    if (!isEnding) assert.notEqual(killed.status, 0, step)
    if (killed.status === 0) await undo?.()
    else if (!isEnding) await look?.(step)
  }
}

interface Killed {
  /** Exit status of the command. */
  readonly status: number | null
  /** Whether it came as far as the step. */
  readonly isReached: boolean
  readonly reported: string
}

/** Kills the gateway as soon as a command has reported that a step is done, or ended, and waits until it is back. */
export async function killedAfter(gateway: Host, step: string, words: Words): Promise<Killed> {
  const isNow = (reported: string): boolean => reported.includes(`${step}: done`)
  const { status, reported } = await struckWhen(gateway, words, isNow, () => killGateway(gateway))
  await requireBack(gateway)
  return { status, isReached: isNow(reported), reported }
}

export const killGateway = (gateway: Host): Promise<unknown> =>
  gateway.run(['systemctl', 'kill', '--kill-whom=main', '--signal=KILL', 'fleet-gateway'])

/** Strikes as soon as a question is true of what a command has reported, or the command ended. Answers how it ended, and all that it told. */
export async function struckWhen(
  gateway: Host,
  words: Words,
  isNow: (reported: string) => boolean,
  strike: () => Promise<unknown>,
): Promise<Pick<Killed, 'status' | 'reported'> & { readonly told: string }> {
  const file = join(gateway.root, TOLD)
  rmSync(file, { force: true })
  const request = gateway.attempt(['sh', '-c', `"$@" 2>${TOLD}`, 'sh', 'fleet', ...words], {
    timeoutSeconds: REQUEST_SECONDS,
  })
  const over = new AbortController()
  void request.finally(() => over.abort()).catch(() => undefined)
  let reported = ''
  while (!over.signal.aborted && !isNow(reported)) {
    await sleep(POLL_MILLISECONDS)
    if (existsSync(file)) reported = readFileSync(file, 'utf8')
  }
  await strike()
  const { status } = await request
  // A gateway that lost its power has no disk until it is back.
  return { status, reported, told: existsSync(file) ? readFileSync(file, 'utf8') : reported }
}

export async function requireBack(gateway: Host): Promise<void> {
  // To look at its port costs a hundredth of the command line.
  const listens = async (): Promise<boolean> =>
    (await gateway.run(['ss', '--no-header', '--listening', '--tcp', 'sport', '=', ':443'])) !== ''
  const isBack = async (): Promise<true | undefined> =>
    (await listens()) && (await gateway.attempt(['fleet', 'gateway:status'])).status === 0 ? true : undefined
  assert.equal(await waitFor(RESTART_SECONDS, isBack), true, 'the gateway does not come back')
}
