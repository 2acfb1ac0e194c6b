import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { killedAtEach, stepsDone } from './gateway-deaths.ts'
import { shareFleet, type WantedNode } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'kill', nodes: [] })

const whole: WantedNode = { name: 'whole', roles: ['database'] }
const web: WantedNode = { name: 'web', roles: ['database'] }
const leaving: WantedNode = { name: 'leaving', roles: [] }

test(
  'a gateway that is killed at any step of an enrolment leaves a record with which the identical request finishes [NODE-020]',
  onHosts,
  async (t) => {
    const fleet = started()
    const gateway = fleet.gateway.host
    const wordsFor = async (host: Host, wanted: WantedNode): Promise<readonly string[]> => {
      await fleet.gateway.letIn(host)
      return fleet.gateway.addWords(host, wanted)
    }
    const steps = await stepsDone(gateway, await wordsFor(await fleet.earlierNode(whole), whole))
    assert.ok(steps.length > 5, steps.join(', '))
    const host = await fleet.blank(web)
    const words = await wordsFor(host, web)
    // After the last one nothing is left to be killed in.
    await killedAtEach(gateway, { steps, words, ending: 1, report: (line) => t.diagnostic(line) })
    await fleet.enroll(host, web)
    const { status, roles } = await fleet.record('node:show', host.name)
    assert.deepEqual([status, roles], ['active', ['database']])
  },
)

test(
  'a gateway that is killed at any step of a removal continues with it, and the machine can be enrolled again [NODE-085, NODE-097]',
  onHosts,
  async (t) => {
    const fleet = started()
    const gateway = fleet.gateway.host
    const host = await fleet.earlierNode(leaving)
    await fleet.enroll(host, leaving)
    const words = ['node:remove', host.name, '--yes'] as const
    const steps = await stepsDone(gateway, words)
    assert.ok(steps.length > 2, steps.join(', '))
    const undo = () => fleet.enroll(host, leaving)
    await undo()
    // After the names only the record is left to delete, which is over before anybody could be killed.
    await killedAtEach(gateway, { steps, words, ending: 2, undo, report: (line) => t.diagnostic(line) })
    // The gateway that was killed last may have finished it before anybody asks again.
    const last = await fleet.gateway.fleet([...words, '--json'])
    const told = last.stdout + last.stderr
    if (last.status !== 0) assert.match(told, /node\.not_found/)
    else
      assert.deepEqual(
        [/"removed": ?true/, /"wireguard_peer_removed": ?true/].map((one) => one.test(told)),
        [true, true],
        told,
      )
    assert.deepEqual(
      (await fleet.records('node:list')).filter(({ name }) => name === host.name),
      [],
    )
    await fleet.enroll(host, leaving)
    assert.equal((await fleet.record('node:show', host.name))['status'], 'active')
  },
)
