// One command over the warm pool, beside raw ssh2 and OpenSSH's control master on the same server.
import { systemClock } from '@fleet/kernel'
import { run as command } from '@fleet/shell'
import { createSshPool } from '@fleet/ssh'
import { startMaster } from './master.ts'
import { type Measure, measure, median, sideBySide } from './measure.ts'
import { connectRaw } from './raw-ssh.ts'
import { startSshServer } from './ssh-server.ts'

const COMMANDS = 400
const PROCESSES = 60

export async function* run(): AsyncGenerator<Measure> {
  await using server = await startSshServer()
  const { target, key } = server
  await using pool = createSshPool({ privateKey: key.privateKey, clock: systemClock })
  using raw = await connectRaw(target, key)
  const pooled = () => pool.run(target, command('true'), { timeoutMilliseconds: 30_000 })
  const warm = await sideBySide(COMMANDS, pooled, () => raw.run('true'))
  yield measure(
    'warm-command',
    'ms',
    median(warm.ours),
    `raw ssh2 with setNoDelay, ${server.name}`,
    median(warm.theirs),
  )
  if (!server.openssh) return
  await using master = await startMaster(server, server.openssh)
  const beside = await sideBySide(PROCESSES, pooled, () => master.run('true'))
  yield measure(
    'warm-command-openssh',
    'ms',
    median(beside.ours),
    'ssh with a control master',
    median(beside.theirs),
  )
}
