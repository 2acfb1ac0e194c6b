// A checkout of 200 MB that moves to another Node, beside rsync with a login of its own from the one to the other, and beside rsync
// with the logins of the gateway, which has to pass through it. Fleet compares what arrived, and removes the old checkout.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fakeCall } from '@fleet/testing'
import { type BenchNode, type LifeFleet, startLifeFleet } from './life/fleet.ts'
import { measure, median, type Report, time } from './measure.ts'
import { execute } from './ssh-server.ts'

const ROUNDS = Number(process.env['FLEET_BENCH_ROUNDS'] ?? 5)
const MEGABYTE = 1024 * 1024
/** Of a repository's history, a few large files and many small ones. */
const LARGE = { count: 16, bytes: 8 * MEGABYTE }
const SMALL = { count: 3000, bytes: 24 * 1024 }

export async function* run(): AsyncGenerator<Report> {
  await using life = await startLifeFleet()
  const [first, second] = life.nodes
  const rsync = (process.env['PATH'] ?? '').split(delimiter).find((folder) => has(folder, 'rsync'))
  if (rsync === undefined || first.server.openssh === undefined || second.server.openssh === undefined) {
    yield { bench: 'transfer-rsync', skipped: 'rsync or OpenSSH is not installed' }
    return
  }
  const id = await checkout(life)
  const taken: Record<'fleet' | 'direct' | 'through', number[]> = { fleet: [], direct: [], through: [] }
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [from, to] = round % 2 === 0 ? [first, second] : [second, first]
    const ends = {
      rsync: join(rsync, 'rsync'),
      path: join(from.home, 'apps/app/large'),
      copied: join(to.home, 'by-rsync'),
    }
    const works = {
      direct: () => direct(to, ends),
      through: () => through(from, to, { ...ends, between: join(life.fleet.home, 'between') }),
      fleet: () => transfer(life, id, to.id),
    }
    for (const name of ['direct', 'through', 'fleet'] as const) {
      const milliseconds = await time(works[name])
      if (round > 0) taken[name].push(milliseconds)
      for (const folder of ['by-rsync', 'between'])
        for (const home of [to.home, life.fleet.home])
          rmSync(join(home, folder), { recursive: true, force: true })
    }
  }
  const megabytes = (LARGE.count * LARGE.bytes + SMALL.count * SMALL.bytes) / MEGABYTE
  const rate = (all: readonly number[]): number => (megabytes / median(all)) * 1000
  yield measure(
    'transfer-rsync',
    'MB/s',
    rate(taken.fleet),
    'rsync -a from the one to the other',
    rate(taken.direct),
  )
  yield measure(
    'transfer-rsync-through',
    'MB/s',
    rate(taken.fleet),
    'rsync -a through the gateway',
    rate(taken.through),
  )
}

const has = (folder: string, name: string): boolean => {
  try {
    return readdirSync(folder).includes(name)
  } catch {
    return false
  }
}

/** An Instance of the first Node whose checkout has much that no repository knows. */
async function checkout({ fleet, domains, nodes: [node] }: LifeFleet): Promise<number> {
  const input = { project_id: fleet.project.id, node_id: node.id, name: 'large' }
  const { data } = await domains.instances.handlers['instance:create']({ call: fakeCall(), input })
  for (const [name, { count, bytes }] of Object.entries({ LARGE, SMALL }))
    for (let file = 0; file < count; file += 1) {
      const folder = join(data.checkout_path, name.toLowerCase(), String(file % 50))
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, String(file)), randomBytes(bytes))
    }
  return data.id
}

const transfer = async ({ domains }: LifeFleet, instance: number, node_id: number): Promise<void> =>
  void (await domains.instances.handlers['instance:transfer']({
    call: fakeCall(),
    input: { instance, node_id },
  }))

interface Ends {
  readonly rsync: string
  readonly path: string
  readonly copied: string
}

/** Onto the disk, as a transfer does. */
const rsyncTo = (
  { server: { openssh, target } }: BenchNode,
  rsync: string,
  words: readonly string[],
): Promise<unknown> => {
  if (openssh === undefined) throw new Error('no OpenSSH')
  const ssh = ['ssh', ...openssh, '-p', String(target.port)].join(' ')
  return execute(rsync, ['-a', '--fsync', `--rsync-path=${rsync}`, '-e', ssh, ...words])
}

const placeOn = ({ server: { target } }: BenchNode, path: string): string =>
  `${target.user}@${target.host}:${path}/`

const direct = (to: BenchNode, { rsync, path, copied }: Ends): Promise<unknown> =>
  rsyncTo(to, rsync, [`${path}/`, placeOn(to, copied)])

async function through(
  from: BenchNode,
  to: BenchNode,
  { rsync, path, copied, between }: Ends & { readonly between: string },
): Promise<void> {
  await rsyncTo(from, rsync, [placeOn(from, path), `${between}/`])
  await rsyncTo(to, rsync, [`${between}/`, placeOn(to, copied)])
}
