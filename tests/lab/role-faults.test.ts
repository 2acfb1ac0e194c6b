import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sampled } from '@fleet/testing/sample'
import type { Host } from '../../lab/index.ts'
import { bareNode, type Ended, type OnStep, shareEnrolmentNet } from './enrolment-net.ts'
import { begun, type Fault, FAULTS, injectAt } from './faults.ts'
import { onHosts } from './site.ts'

const started = shareEnrolmentNet('roles')

type Request = (onStep?: OnStep) => Promise<Ended<unknown>>

/**
 * Injects a fault at each step that the request takes on a machine without faults, one after the other. Whenever it fails, the error names
 * step and code, and the record of the role says the same. The identical request, repeated after the fault is cleared, finishes it.
 */
async function injectAtEach(
  context: TestContext,
  {
    fault,
    host,
    steps,
    request,
    undo,
    reported,
  }: {
    readonly fault: Fault
    readonly host: Host
    readonly steps: readonly string[]
    readonly request: Request
    /** Where the request came to its end in spite of the fault. */
    readonly undo: Request
    /** What the record must say after a failure. */
    readonly reported: (failure: NonNullable<Ended<unknown>['failure']>) => Promise<void>
  },
): Promise<void> {
  let failures = 0
  const chosen = sampled(steps, FAULTS.length, FAULTS.indexOf(fault))
  // Some steps shrug a fault off: when all of the sample did, the others follow until one fails.
  for (const step of [...chosen, ...steps.filter((other) => !chosen.includes(other))]) {
    if (failures > 0 && !chosen.includes(step)) break
    const ended = await injectAt(step, fault, host, request)
    context.diagnostic(`${fault.name} at ${step}: ${ended.failure?.code ?? 'no failure'}`)
    if (ended.failure) {
      failures += 1
      await reported(ended.failure)
    } else {
      const undone = await undo()
      assert.equal(undone.failure, undefined, String(undone.failure?.cause))
    }
  }
  assert.notEqual(failures, 0, 'the fault met nothing')
  const whole = await request()
  assert.equal(whole.failure, undefined, String(whole.failure?.cause))
}

for (const fault of FAULTS) {
  test(
    `a machine that is ${fault.name} at any step of a role, added or removed, is named with step and code, and the identical request finishes [ROLE-022, ROLE-023, ROLE-025]`,
    onHosts,
    async (context) => {
      const fleet = await started()
      const host = await bareNode(fleet, fault.name.replaceAll(' ', '-'))
      const { name } = host
      const add: Request = (onStep) => fleet.addRole(name, 'database', onStep)
      const remove: Request = (onStep) => fleet.removeRole(name, 'database', onStep)
      const reported = (part: string) => async (failure: { code: string; details?: object | undefined }) => {
        const { step, error_code } = { step: undefined, error_code: undefined, ...failure.details }
        assert.deepEqual(await fleet.roles(name), [`database failed ${part}:${step} ${error_code}`])
      }
      const adding = begun(await add())
      const removing = begun(await remove())
      assert.deepEqual(await fleet.roles(name), [])
      await injectAtEach(context, {
        fault,
        host,
        steps: adding,
        request: add,
        undo: remove,
        reported: reported('converge'),
      })
      assert.deepEqual(await fleet.roles(name), ['database active'])
      assert.doesNotMatch(await host.run(['ufw', 'status']), /public-ssh-recovery/)
      await injectAtEach(context, {
        fault,
        host,
        steps: removing,
        request: remove,
        undo: add,
        reported: reported('remove'),
      })
      assert.deepEqual(await fleet.roles(name), [])
      assert.match(await host.run(['ufw', 'status']), /public-ssh-recovery/)
    },
  )
}

/** The one Node whose role it was, as the refusal of a move that stopped half way names it. */
const isHalfWay = ({ failure }: Ended<unknown>): boolean =>
  failure?.code === 'node_role.relocation_incomplete'

for (const fault of FAULTS) {
  test(
    `a machine that is ${fault.name} at any step of taking over a role leaves one holder, and the request that the error names finishes [ROLE-035, ROLE-037, ROLE-039]`,
    onHosts,
    async (context) => {
      const fleet = await started()
      const hub = fleet.hub.name
      const host = await bareNode(fleet, `heir-${fault.name.replaceAll(' ', '-')}`)
      const giveBack = async (): Promise<void> => {
        const { failure } = await fleet.relocateRole(hub, 'gateway')
        assert.equal(failure, undefined, String(failure?.cause))
      }
      const steps = begun(await fleet.relocateRole(host.name, 'gateway'))
      assert.notEqual(steps.length, 0)
      await giveBack()
      let from: string | undefined
      for (const step of sampled(steps, FAULTS.length, FAULTS.indexOf(fault))) {
        const ended = await injectAt(step, fault, host, (onStep) =>
          fleet.relocateRole(host.name, 'gateway', from, onStep),
        )
        context.diagnostic(`${fault.name} at ${step}: ${ended.failure?.code ?? 'no failure'}`)
        if (isHalfWay(ended)) {
          from = hub
          continue
        }
        const holders = [...(await fleet.roles(hub)), ...(await fleet.roles(host.name))]
        assert.equal(holders.filter((line) => line === 'gateway active').length, 1, holders.join(', '))
        if (ended.failure) continue
        await giveBack()
        from = undefined
      }
      const whole = await fleet.relocateRole(host.name, 'gateway', from)
      assert.equal(whole.failure, undefined, String(whole.failure?.cause))
      assert.deepEqual(await fleet.roles(host.name), ['gateway active'])
      assert.deepEqual(await fleet.roles(hub), ['vpn active'])
      await giveBack()
    },
  )
}
