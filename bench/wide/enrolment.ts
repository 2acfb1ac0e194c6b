import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Host } from '../../lab/index.ts'
import { type Measure, measure } from '../measure.ts'
import { blankNode, type WideFleet } from './fleet.ts'
import { byHand } from './by-hand.ts'
import { secondsOf } from './words.ts'

const KEY = '/root/wide/key'

/** A blank host until it is `active`, beside a script that brings another as far; and the unchanged request again. */
export async function* enrollBeside({ lab, gateway }: WideFleet): AsyncGenerator<Measure> {
  await using ours = await lab.host(blankNode('blank-1'))
  await using theirs = await lab.host(blankNode('blank-2'))
  await gateway.letIn(ours)
  const script = await byHand(gateway, await letIn(gateway.host, theirs))
  try {
    const enrolled = await secondsOf(() => gateway.enroll(ours, { roles: ['app-prod'] }))
    const scripted = await secondsOf(script)
    yield measure('enrolment', 's', enrolled, 'a script that does as much over ssh', scripted)
    const words = await gateway.addWords(ours, { roles: ['app-prod'] })
    const again = await secondsOf(() => gateway.fleet(words))
    yield measure('enrolment-again', 's', again, 'the same script again', await secondsOf(script))
  } finally {
    await gateway.fleet(['node:remove', ours.name, '--yes'])
  }
}

/** The script logs in as root with a key of its own. */
async function letIn(gateway: Host, host: Host): Promise<Host> {
  appendFileSync(join(host.root, 'root/.ssh/authorized_keys'), await gateway.run(['cat', `${KEY}.pub`]))
  return host
}
