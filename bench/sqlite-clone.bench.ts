// A copy of a SQLite database of 1 GiB as a Node makes it for a new Instance, on file systems that share blocks: beside one of 1 MiB, and
// beside `cp --reflink` and a sync.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { measure, median, type Report, sideBySide } from './measure.ts'
import { missingDisk, mountDisk, type SharingKind } from './servers/sharing-disk.ts'
import { execute } from './ssh-server.ts'

const RUNS = 20
const LARGE_MEGABYTES = 1024
const DISK_MEGABYTES = 4096
const PROGRAM = import.meta.resolve('@fleet/database-access/sqlite-copy-program')
const START = `import { main } from '${PROGRAM}'; process.exitCode = await main()`

export async function* run(): AsyncGenerator<Report> {
  for (const kind of ['xfs', 'btrfs'] as const) {
    const missing = await missingDisk(kind)
    if (missing === undefined) yield* on(kind)
    else yield { bench: `sqlite-clone-${kind}`, skipped: missing }
  }
}

async function* on(kind: SharingKind): AsyncGenerator<Report> {
  await using disk = await mountDisk(kind, DISK_MEGABYTES)
  const large = database(disk.folder, 'large', LARGE_MEGABYTES)
  const small = database(disk.folder, 'small', 1)
  await execute('sync', ['--file-system', disk.folder])
  const sizes = await sideBySide(
    RUNS,
    () => copy(large),
    () => copy(small),
  )
  const name = `sqlite-clone-${kind}`
  yield measure(name, 'ms', median(sizes.ours), 'a database of 1 MiB', median(sizes.theirs))
  const hand = await sideBySide(
    RUNS,
    () => copy(large),
    () => byHand(large),
  )
  const command = 'cp --reflink=always and sync of the copy'
  yield measure(`${name}-cp`, 'ms', median(hand.ours), command, median(hand.theirs))
}

interface Source {
  readonly from: string
  readonly fromRoot: string
  readonly to: string
  readonly toRoot: string
}

function database(folder: string, name: string, megabytes: number): Source {
  const [fromRoot, toRoot] = [join(folder, name), join(folder, `${name}-copy`)]
  for (const each of [fromRoot, toRoot]) mkdirSync(each)
  const from = join(fromRoot, 'database.sqlite')
  using file = new DatabaseSync(from)
  file.exec('pragma journal_mode = wal; pragma synchronous = off; create table t (raw blob)')
  const insert = file.prepare('insert into t values (randomblob(1000000))')
  for (let at = 0; at < megabytes; at += 1) insert.run()
  file.exec('pragma wal_checkpoint(truncate)')
  return { from, fromRoot, to: join(toRoot, 'database.sqlite'), toRoot }
}

/** The program of a Node, its start included. */
async function copy(source: Source): Promise<void> {
  const words = ['--input-type=module', '--eval', START]
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(source))
  const [answer] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (answer !== '{"mode":"reflink"}\n') throw new Error(`the copy was made otherwise: ${answer}`)
}

const byHand = ({ from, to }: Source): Promise<unknown> =>
  execute('sh', ['-euc', 'cp --reflink=always -- "$0" "$1"; sync -- "$1"', from, `${to}-by-hand`])
