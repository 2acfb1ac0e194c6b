// A Process of a real host is started and its status read through the gateway, beside `systemctl start` and `show` over a connection that
// is kept, and beside both in one command.
import { generateSshKey } from '@fleet/ssh'
import { labMissing } from '../lab/index.ts'
import { asUser, type LabFleet, startLabFleet } from '../tests/lab/fleet.ts'
import { measure, median, type Report, time } from './measure.ts'
import { connectRaw, type RawSsh } from './raw-ssh.ts'

const RUNS = 40
const UNIT = 'bench-by-hand.service'
const SHOWN = 'ActiveState,SubState,MainPID,Result,NRestarts,ExecMainStatus'

export async function* run(): AsyncGenerator<Report> {
  const missing = labMissing()
  if (missing !== undefined) {
    yield { bench: 'process-start', skipped: missing }
    return
  }
  await using fleet = await startLabFleet('process-start')
  await fleet.host.run(['sh', '-c', "echo 'fleet ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/fleet"])
  using raw = await connected(fleet)
  await raw.run(
    `printf '[Service]\\nExecStart=/bin/sleep 1000\\n' | sudo tee /etc/systemd/system/${UNIT} && sudo systemctl daemon-reload`,
  )
  const process = await fleet.send('POST', '/processes', {
    target_type: 'node',
    target_id: fleet.nodeId,
    name: 'bench',
    runtime: 'systemd',
    command: ['/bin/sleep', '1000'],
  })
  const act = (word: 'start' | 'stop') => (): Promise<unknown> =>
    fleet.send('POST', `/processes/${String(process['id'])}/${word}`)
  const stop = async (): Promise<void> => {
    await act('stop')()
    await raw.run(`sudo systemctl stop ${UNIT}`)
  }
  const start = `sudo systemctl start ${UNIT}`
  const show = `systemctl show --property=${SHOWN} ${UNIT}`
  const two = async (): Promise<void> => {
    await raw.run(start)
    await raw.run(show)
  }
  yield* compared('process-start', act('start'), two, stop, 'systemctl start, then show, over ssh2')
  const one = (): Promise<unknown> => raw.run(`${start} && ${show}`)
  yield* compared('process-start-one-command', act('start'), one, stop, 'both in one command over ssh2')
}

async function* compared(
  name: string,
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
  stop: () => Promise<void>,
  baseline: string,
): AsyncGenerator<Report> {
  const taken: Record<'ours' | 'theirs', number[]> = { ours: [], theirs: [] }
  for (let run = 0; run <= RUNS; run += 1) {
    const [own, other] = [await time(ours), await time(theirs)]
    await stop()
    if (run === 0) continue
    taken.ours.push(own)
    taken.theirs.push(other)
  }
  yield measure(name, 'ms', median(taken.ours), `${baseline}, p50`, median(taken.theirs))
}

/** A connection of its own as the user that the gateway is on the host. */
async function connected({ host }: LabFleet): Promise<RawSsh> {
  const key = generateSshKey('bench')
  await asUser(host, 'cat >>~/.ssh/authorized_keys', `\n${key.publicKey}\n`)
  const target = {
    nodeId: 1,
    host: host.address,
    port: 22,
    user: 'fleet',
    fingerprint: await host.fingerprint(),
  }
  return connectRaw(target, key)
}
