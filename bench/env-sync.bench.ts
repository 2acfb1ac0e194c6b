// Synchronization of an unchanged and of a changed file through the gateway, in round trips and in time, beside the same
// commands over raw ssh2, and beside a script of scp and ssh.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from '@fleet/shell'
import { inputBytes } from '@fleet/testing'
import { type Measure, measure, median, sideBySide, time } from './measure.ts'
import { connectRaw, type RawSsh } from './raw-ssh.ts'
import { execute, type SshServer, startSshServer } from './ssh-server.ts'
import { type SyncFleet, startSyncFleet } from './sync-fleet.ts'

const RUNS = 120
const SCRIPTS = 20

export async function* run(): AsyncGenerator<Measure> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-bench-')))
  try {
    await using server = await startSshServer()
    await using fleet = await startSyncFleet(home, server)
    using raw = await connectRaw(server.target, server.key)
    yield* unchanged(fleet, raw)
    yield* changed(fleet, raw)
    if (server.openssh) yield* script(fleet, server, server.openssh, home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function* unchanged(fleet: SyncFleet, raw: RawSsh): AsyncGenerator<Measure> {
  await fleet.sync()
  const commands = await commandsOf(fleet, () => fleet.sync())
  yield measure('env-sync-unchanged-trips', 'round trips', commands.length, 'the least possible', 1)
  const taken = await sideBySide(
    RUNS,
    () => fleet.sync(),
    () => replay(raw, commands),
  )
  yield measure(
    'env-sync-unchanged',
    'ms',
    median(taken.ours),
    'the same commands over raw ssh2',
    median(taken.theirs),
  )
}

async function* changed(fleet: SyncFleet, raw: RawSsh): AsyncGenerator<Measure> {
  let turn = 0
  const texts = ['one', 'two']
  const change = (): Promise<void> => fleet.change(texts[(turn += 1) % 2] ?? '')
  await change()
  await fleet.sync()
  const there = await afterChange(fleet, change)
  const back = await afterChange(fleet, change)
  yield measure('env-sync-changed-trips', 'round trips', there.length, 'the least possible', 2)
  const ours: number[] = []
  const theirs: number[] = []
  // Each round changes the file twice, so that the recorded commands find it as they left it.
  for (let round = 0; round < RUNS / 2; round += 1) {
    for (let side = 0; side < 2; side += 1) {
      await change()
      ours.push(await time(() => fleet.sync()))
    }
    for (const commands of [there, back]) theirs.push(await time(() => replay(raw, commands)))
  }
  yield measure('env-sync-changed', 'ms', median(ours), 'the same commands over raw ssh2', median(theirs))
}

async function* script(
  fleet: SyncFleet,
  { target }: SshServer,
  words: readonly string[],
  home: string,
): AsyncGenerator<Measure> {
  const local = join(home, 'local.env')
  const host = `${target.user}@${target.host}`
  const scripted = async (): Promise<void> => {
    writeFileSync(local, `A="${performance.now()}"\n`)
    await execute('scp', [...words, '-O', '-q', '-P', String(target.port), local, `${host}:${home}/.env.new`])
    await execute('ssh', [
      ...words,
      '-p',
      String(target.port),
      host,
      `chmod 600 ${home}/.env.new && mv ${home}/.env.new ${home}/.env`,
    ])
  }
  let turn = 0
  const taken = await sideBySide(
    SCRIPTS,
    async () => {
      await fleet.change(`script ${(turn += 1)}`)
      await fleet.sync()
    },
    scripted,
  )
  yield measure('env-sync-script', 'ms', median(taken.ours), 'a script of scp and ssh', median(taken.theirs))
}

async function commandsOf(fleet: SyncFleet, work: () => Promise<void>): Promise<readonly Command[]> {
  const before = fleet.commands.length
  await work()
  return fleet.commands.slice(before)
}

async function afterChange(fleet: SyncFleet, change: () => Promise<void>): Promise<readonly Command[]> {
  await change()
  return commandsOf(fleet, () => fleet.sync())
}

async function replay(raw: RawSsh, commands: readonly Command[]): Promise<void> {
  for (const command of commands) await raw.run(command.line, inputBytes(command))
}
