import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorOf } from './ask.ts'
import { makeGate } from './gate.ts'
import { startEmbedded, temporaryHome } from './harness.ts'
import { type SentRequest, interrupt } from './interrupt.ts'
import { activityOf, moveSsh, sshPortOf } from './residue.ts'
import { type Ground, walkCreations, walkRemovals, walkSynchronizations } from './walk.ts'
import { layWire, type Wire } from './wire.ts'

interface FleetUnderTest extends Ground {
  readonly wire: Wire
}

/** A fleet whose connection to node-1 runs over a wire of the test. */
async function withFleet(work: (site: FleetUnderTest) => Promise<void>): Promise<void> {
  using home = temporaryHome()
  using folder = temporaryHome()
  const gate = makeGate(folder.path, join(home.path, 'nodes'))
  await using fleet = await startEmbedded({ home: home.path, sample: true, env: { PATH: gate.path } })
  await using wire = await layWire('127.44.0.11', sshPortOf(home.path, 'node-1'))
  moveSsh(home.path, 'node-1', wire.port)
  await work({ fleet, gate, wire, nodeHome: join(home.path, 'nodes/node-1') })
}

/** Cuts the connection at a command of the Node, and answers the code with which the request failed. */
async function cutAt({ fleet, gate, wire }: FleetUnderTest, at: number, asked: SentRequest): Promise<string> {
  const { requestId, answer, wasHeld } = await interrupt(fleet, gate, at, asked, () => wire.cut())
  assert.ok(wasHeld, `command ${at} was reached`)
  assert.ok(answer, `command ${at} was answered`)
  const code = String(errorOf(answer)['code'])
  assert.deepEqual(activityOf(fleet.home, requestId), [`failed ${code}`])
  return code
}

test('a creation whose connection is cut at any stage says so, and the identical request finishes it [INS-050, INS-052]', () =>
  withFleet((site) =>
    walkCreations(site, async (at, asked) =>
      assert.equal(await cutAt(site, at, asked), 'node.connection_lost', `command ${at}`),
    ),
  ))

test('a removal whose connection is cut at any stage says so, and the identical request finishes it [INS-112, INS-113]', () =>
  withFleet((site) =>
    walkRemovals(site, async (at, asked) => {
      const code = await cutAt(site, at, asked)
      assert.ok(['node.connection_lost', 'instance.removal_failed'].includes(code), `command ${at}: ${code}`)
    }),
  ))

test('a synchronization whose connection is cut leaves the old file or the new one, and the identical request finishes it [ENV-051]', () =>
  withFleet(async (site) => {
    const codes = new Set<string>()
    await walkSynchronizations(site, async (at, asked) => void codes.add(await cutAt(site, at, asked)))
    // Lost while looking, nothing was written; lost while writing, nobody knows.
    assert.deepEqual([...codes].toSorted(), ['env.sync_unconfirmed', 'node.connection_lost'])
  }))
