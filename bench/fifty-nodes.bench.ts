// The same command on 50 Nodes at once over warm connections, beside raw ssh2 connections that are warm too.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@fleet/kernel'
import { run as command } from '@fleet/shell'
import { createSshPool, generateSshKey, type SshTarget } from '@fleet/ssh'
import { type Measure, measure, median, sideBySide } from './measure.ts'
import { connectRaw } from './raw-ssh.ts'
import { startServer } from './servers/child.ts'

const NODES = 50
const ROUNDS = 40

export async function* run(): AsyncGenerator<Measure> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-bench-'))
  const key = generateSshKey()
  const hostKey = join(home, 'host_key')
  writeFileSync(hostKey, generateSshKey().privateKey.reveal(), { mode: 0o600 })
  try {
    using servers = await startServer<{ readonly nodes: readonly SshTarget[] }>(
      'nodes',
      String(NODES),
      hostKey,
      key.publicKey,
      home,
    )
    const { nodes } = servers.ready
    await using pool = createSshPool({ privateKey: key.privateKey, clock: systemClock })
    const raw = await Promise.all(nodes.map((target) => connectRaw(target, key)))
    const ours = () =>
      Promise.all(nodes.map((target) => pool.run(target, command('true'), { timeoutMilliseconds: 30_000 })))
    const theirs = () => Promise.all(raw.map((connection) => connection.run('true')))
    const taken = await sideBySide(ROUNDS, ours, theirs)
    for (const connection of raw) connection[Symbol.dispose]()
    yield measure(
      'fifty-nodes',
      'ms',
      median(taken.ours),
      'raw ssh2, 50 warm connections',
      median(taken.theirs),
    )
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
