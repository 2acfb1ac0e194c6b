import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampled } from '@fleet/testing/sample'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { bareNode, type Ended, type EnrolmentNet, shareEnrolmentNet } from './enrolment-net.ts'
import { type Fault, FAULTS, stepsBegun, struckWhen } from './faults.ts'
import { reaches } from './facts.ts'
import { carryExecutable } from './install.ts'
import { onHosts } from './site.ts'

const started = shareEnrolmentNet('feed-faults', { servesFeed: true })

const UNIT = 'fleet-websocket.service'

interface Move {
  readonly from: Host
  readonly to: Host
}

/** Steps of a move, each with whether it is work on the Node that takes the role over. */
const stepsOf = (whole: Ended<unknown>): readonly { name: string; isTakingOver: boolean }[] => {
  const names = stepsBegun(whole)
  const lastOfTarget = names.indexOf('role:answer')
  assert.notEqual(lastOfTarget, -1, names.join(', '))
  return names.map((name, at) => ({ name, isTakingOver: at <= lastOfTarget }))
}

/** Strikes when so many steps have begun: a name stands for two steps, one on each Node. */
async function ended(
  fleet: EnrolmentNet,
  to: Host,
  at: number,
  fault: Fault,
  victim: Host,
): Promise<Ended<unknown>> {
  let count = 0
  const ended = await struckWhen(
    () => count++ === at,
    fault,
    victim,
    (onStep) => fleet.relocateRole(to.name, 'websocket', undefined, onStep),
  )
  await requireReached(fleet, victim)
  return ended
}

/** A tunnel comes up a moment after its machine. */
async function requireReached({ hub, row }: EnrolmentNet, { name }: Host): Promise<void> {
  const address = String((await row(name))?.wireguard_ip)
  const isReached = await waitFor(60, async () => (await reaches(hub, address, 22)) || undefined)
  assert.ok(isReached, `${name} is not reached`)
}

/** The role is whole on one Node, and nothing of it on the other. */
async function requireMoved(fleet: EnrolmentNet, { from, to }: Move): Promise<void> {
  assert.deepEqual(await fleet.roles(to.name), ['websocket active'])
  assert.deepEqual(await fleet.roles(from.name), [])
  assert.equal((await to.run(['systemctl', 'is-active', UNIT])).trim(), 'active')
  const left = `systemctl list-units --all --no-legend --plain ${UNIT}; ls -d /etc/fleet/websocket /etc/systemd/system/${UNIT} 2>/dev/null; ufw show added | grep websocket; true`
  assert.equal(await from.run(['sh', '-c', left]), '')
}

/** As the error says: the plain request again, or the one that names the Node on which something is left. */
async function finish(
  fleet: EnrolmentNet,
  { from, to }: Move,
  failure: Ended<unknown>['failure'],
): Promise<void> {
  const isHalfWay = failure?.code === 'node_role.relocation_incomplete'
  if (isHalfWay) assert.match(failure.message, new RegExp(`\\(${from.name}\\)`))
  const again = await fleet.relocateRole(to.name, 'websocket', isHalfWay ? from.name : undefined)
  assert.equal(again.failure, undefined, String(again.failure?.cause))
}

/** A run injects one of the faults into each step; runs whose seeds follow one another try them all. */
const faultsAt = (at: number): readonly Fault[] => sampled(FAULTS, FAULTS.length, at)

test(
  'the feed moves on when either machine is cut off, full or without power at any step: the request that the error names finishes [ROLE-036, ROLE-037, ROLE-039]',
  onHosts,
  async (context) => {
    const fleet = await started()
    let move: Move = { from: await bareNode(fleet, 'one'), to: await bareNode(fleet, 'two') }
    for (const host of [move.from, move.to]) await carryExecutable(host)
    const added = await fleet.addRole(move.from.name, 'websocket')
    assert.equal(added.failure, undefined, String(added.failure?.cause))
    const whole = await fleet.relocateRole(move.to.name, 'websocket')
    assert.equal(whole.failure, undefined, String(whole.failure?.cause))
    await requireMoved(fleet, move)
    let failures = 0
    const cases = stepsOf(whole).flatMap((step, at) => faultsAt(at).map((fault) => ({ ...step, at, fault })))
    for (const { at, name, isTakingOver, fault } of cases) {
      move = { from: move.to, to: move.from }
      const start = performance.now()
      const victim = isTakingOver ? move.to : move.from
      const { failure } = await ended(fleet, move.to, at, fault, victim)
      if (failure) {
        failures += 1
        await finish(fleet, move, failure)
      }
      await requireMoved(fleet, move)
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      const who = isTakingOver ? 'heir' : 'holder'
      context.diagnostic(`${who} ${fault.name} at ${name}: ${failure?.code ?? 'no failure'}, ${seconds} s`)
    }
    assert.notEqual(failures, 0, 'the fault met nothing')
  },
)
